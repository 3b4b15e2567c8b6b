package export_cepa_middleware_on_model_call

import (
	"strings"

	"wit_component/cepa_middleware_events"
	"wit_component/cepa_middleware_flow"
	"wit_component/cepa_middleware_log"
	"wit_component/cepa_middleware_requests"
	"wit_component/cepa_middleware_types"

	wit "go.bytecodealliance.org/pkg/wit/types"
)

type (
	Block    = cepa_middleware_types.ContentBlock
	Error    = cepa_middleware_types.Error
	Next     = cepa_middleware_flow.ModelNext
	Request  = cepa_middleware_requests.ModelRequest
	Response = cepa_middleware_requests.ModelResponse
	Run      = cepa_middleware_flow.ModelRun
	Sink     = cepa_middleware_flow.Sink
	Unit     = wit.Result[wit.Unit, Error]
)

func Handle(request *Request, next *Next, out *Sink) wit.Result[*Response, Error] {
	// The garbage collector may come late.
	defer request.Drop()
	defer next.Drop()
	defer out.Drop()
	response, refusal := rewrite(request.Clone(), next, out)
	if refusal != nil {
		return wit.Err[*Response](*refusal)
	}
	return wit.Ok[*Response, Error](response)
}

func rewrite(edited *Request, next *Next, out *Sink) (*Response, *Error) {
	defer edited.Drop() // Does nothing once the request is given away.
	if refusal := edit(edited); refusal != nil {
		return nil, refusal
	}
	run := next.Start(edited)
	defer run.Drop()
	cepa_middleware_log.Write(cepa_middleware_log.Level_Info, "rewrite: started a run")
	text, refusal := forward(run, out)
	if refusal != nil {
		return nil, refusal
	}
	answer := run.Finish()
	if answer.IsErr() {
		refusal := answer.Err()
		return nil, &refusal
	}
	response := answer.Ok()
	if refusal := refused(response.SetContent([]Block{cepa_middleware_types.MakeContentBlockText(text)})); refusal != nil {
		response.Drop()
		return nil, refusal
	}
	return response, nil
}

func edit(request *Request) *Error {
	request.SetSystemPrompt(wit.Some(request.SystemPrompt().SomeOr("") + " (seen by go)"))
	if refusal := refused(request.PushMessage(cepa_middleware_types.Message{
		Role:    cepa_middleware_types.Role_User,
		Name:    wit.None[string](),
		Content: []Block{cepa_middleware_types.MakeContentBlockText("from go")},
	})); refusal != nil {
		return refusal
	}
	if refusal := refused(request.SetParameter("temperature", wit.Some("0.5"))); refusal != nil {
		return refusal
	}
	broken := refused(request.SetParameter("seed", wit.Some("{broken")))
	if broken == nil || broken.Kind != cepa_middleware_types.ErrorKind_InvalidInput {
		return unexpected("malformed JSON was taken")
	}
	missing := request.Message(9999)
	if missing.IsOk() || missing.Err().Kind != cepa_middleware_types.ErrorKind_InvalidInput {
		return unexpected("a message that is not there was given")
	}
	return nil
}

// Sends the text on in upper case and gives all of it.
func forward(run *Run, out *Sink) (string, *Error) {
	var text strings.Builder
	for {
		events := run.Next(cepa_middleware_events.EventKinds_Text)
		if len(events) == 0 {
			return text.String(), nil
		}
		for i, event := range events {
			if event.Tag() == cepa_middleware_events.Event_TextDelta {
				delta := event.TextDelta()
				delta.Text = strings.ToUpper(delta.Text)
				text.WriteString(delta.Text)
				events[i] = cepa_middleware_events.MakeEventTextDelta(delta)
			}
		}
		if refusal := refused(out.Emit(events)); refusal != nil {
			return "", refusal
		}
	}
}

func refused(answer Unit) *Error {
	if answer.IsOk() {
		return nil
	}
	refusal := answer.Err()
	return &refusal
}

func unexpected(message string) *Error {
	return &Error{
		Kind:         cepa_middleware_types.ErrorKind_Rejected,
		Code:         "guest-check",
		Message:      message,
		RetryAfterMs: wit.None[uint32](),
		Status:       wit.None[uint16](),
	}
}
