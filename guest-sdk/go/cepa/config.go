package cepa

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"cepa/internal/wire"
	context "wit_component/cepa_middleware_context"
)

// Configured has the layer's `config` put into a middleware before its first hook, as `encoding/json` does it, and gives
// the middleware. A field keeps what it holds where its key is absent; a key without a field is `invalid-input`, as is a
// value of another type.
//
//	type Polite struct {
//		Note string `json:"note"`
//	}
//
//	var Middleware = cepa.Configured(&Polite{Note: "Say please."})
//
// It is a function to be called, and no rule for all, since it makes a component larger by about 1.6 MiB.
func Configured[Middleware any](middleware *Middleware) *Middleware {
	wire.Configure = func() error { return decode(context.Config(), middleware) }
	return middleware
}

func decode(config string, into any) error {
	decoder := json.NewDecoder(strings.NewReader(config))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(into); err != nil {
		return Invalid("the configuration does not fit: " + misfit(err))
	}
	return nil
}

func misfit(err error) string {
	var mistyped *json.UnmarshalTypeError
	if errors.As(err, &mistyped) {
		return fmt.Sprintf("`%s` must be `%s`, not a %s", mistyped.Field, mistyped.Type, mistyped.Value)
	}
	if key, unknown := strings.CutPrefix(err.Error(), "json: unknown field "); unknown {
		return fmt.Sprintf("`%s` is unknown", strings.Trim(key, `"`))
	}
	return err.Error()
}
