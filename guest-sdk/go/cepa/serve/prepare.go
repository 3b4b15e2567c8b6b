package serve

import (
	"cepa"
	"cepa/internal/wire"
)

// How getting ready went, once it was tried.
var prepared struct {
	done bool
	err  error
}

// Gets the middleware ready, on the first hook of an instance: the host can't be asked for the configuration before.
func prepare(middleware any) error {
	if !prepared.done {
		prepared.err = ready(middleware)
		prepared.done = true
	}
	return prepared.err
}

func ready(middleware any) error {
	if wire.Configure != nil {
		if err := wire.Configure(); err != nil {
			return err
		}
	}
	if preparing, can := middleware.(cepa.Prepare); can {
		return preparing.Prepare()
	}
	return nil
}
