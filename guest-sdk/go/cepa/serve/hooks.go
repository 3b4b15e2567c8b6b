// Package serve is what the exports of a component call. A middleware has no use for it.
package serve

import (
	"errors"

	"cepa"
	"cepa/internal/wire"
	"cepa/log"
	events "wit_component/cepa_middleware_events"
	flow "wit_component/cepa_middleware_flow"
	requests "wit_component/cepa_middleware_requests"

	wit "go.bytecodealliance.org/pkg/wit/types"
)

// OnReply answers the export of this name.
func OnReply(
	hook cepa.OnReply, request *requests.ReplyRequest, next *flow.ReplyNext, out *flow.Sink,
) result[*requests.ReplyResponse] {
	return answer(hook, func() (*requests.ReplyResponse, error) {
		inside := &cepa.ReplyNext{Raw: next}
		response, err := hook.OnReply(&cepa.ReplyRequest{Raw: request}, inside, &cepa.Sink{Raw: out})
		return responded(response, err, func() *requests.ReplyResponse { return response.Raw })
	}, request, next, out)
}

// OnReasoning answers the export of this name.
func OnReasoning(
	hook cepa.OnReasoning, request *requests.ReasoningRequest, next *flow.ReasoningNext, out *flow.Sink,
) result[*requests.ReasoningResponse] {
	return answer(hook, func() (*requests.ReasoningResponse, error) {
		inside := &cepa.ReasoningNext{Raw: next}
		response, err := hook.OnReasoning(&cepa.ReasoningRequest{Raw: request}, inside, &cepa.Sink{Raw: out})
		return responded(response, err, func() *requests.ReasoningResponse { return response.Raw })
	}, request, next, out)
}

// OnModelCall answers the export of this name.
func OnModelCall(
	hook cepa.OnModelCall, request *requests.ModelRequest, next *flow.ModelNext, out *flow.Sink,
) result[*requests.ModelResponse] {
	return answer(hook, func() (*requests.ModelResponse, error) {
		inside := &cepa.ModelNext{Raw: next}
		response, err := hook.OnModelCall(&cepa.ModelRequest{Raw: request}, inside, &cepa.Sink{Raw: out})
		return responded(response, err, func() *requests.ModelResponse { return response.Raw })
	}, request, next, out)
}

// OnActing answers the export of this name.
func OnActing(
	hook cepa.OnActing, request *requests.ToolRequest, next *flow.ToolNext, out *flow.Sink,
) result[*requests.ToolResponse] {
	return answer(hook, func() (*requests.ToolResponse, error) {
		inside := &cepa.ToolNext{Raw: next}
		response, err := hook.OnActing(&cepa.ToolRequest{Raw: request}, inside, &cepa.Sink{Raw: out})
		return responded(response, err, func() *requests.ToolResponse { return response.Raw })
	}, request, next, out)
}

// OnCompressContext answers the export of this name.
func OnCompressContext(
	hook cepa.OnCompressContext, request *requests.CompressRequest, next *flow.CompressNext, out *flow.Sink,
) result[*requests.CompressResponse] {
	return answer(hook, func() (*requests.CompressResponse, error) {
		inside := &cepa.CompressNext{Raw: next}
		response, err := hook.OnCompressContext(&cepa.CompressRequest{Raw: request}, inside, &cepa.Sink{Raw: out})
		return responded(response, err, func() *requests.CompressResponse { return response.Raw })
	}, request, next, out)
}

// OnCheckPermission answers the export of this name.
func OnCheckPermission(
	hook cepa.OnCheckPermission, request *requests.PermissionRequest, next *flow.PermissionNext,
) result[cepa.PermissionDecision] {
	return answer(hook, func() (cepa.PermissionDecision, error) {
		return hook.OnCheckPermission(&cepa.PermissionRequest{Raw: request}, &cepa.PermissionNext{Raw: next})
	}, request, next)
}

// OnSystemPrompt answers the export of this name.
func OnSystemPrompt(hook cepa.OnSystemPrompt, prompt string) result[string] {
	return answer(hook, func() (string, error) { return hook.OnSystemPrompt(prompt) })
}

// Kinds answers a function of the export `on-events`. A middleware that can't say asks for every kind, so that the error
// is answered by the other function.
func Kinds(hook cepa.OnEvents) cepa.EventKinds {
	kinds, err := guarded(hook, func() (cepa.EventKinds, error) { return hook.Kinds(), nil })
	wire.Release(nil)
	if err != nil {
		log.Errorf("%s", told(err))
		return events.EventKinds_Other<<1 - 1
	}
	return kinds
}

// OnEvents answers the export of this name.
func OnEvents(hook cepa.OnEvents, events []cepa.Event) result[[]cepa.Event] {
	return answer(hook, func() ([]cepa.Event, error) { return hook.OnEvents(events) })
}

// OnDraft answers the export of this name.
func OnDraft(hook cepa.OnDraft, draft *requests.Draft) result[cepa.Verdict] {
	return answer(hook, func() (cepa.Verdict, error) { return hook.OnDraft(&cepa.Draft{Raw: draft}) }, draft)
}

// ListTools answers a function of the export `tool-source`.
func ListTools(hook cepa.ToolSource) result[[]cepa.ToolDefinition] {
	return answer(hook, hook.ListTools)
}

// CallTool answers a function of the export `tool-source`.
func CallTool(
	hook cepa.ToolSource, request *requests.ToolRequest, out *flow.Sink,
) result[*requests.ToolResponse] {
	return answer(hook, func() (*requests.ToolResponse, error) {
		response, err := hook.CallTool(&cepa.ToolRequest{Raw: request}, &cepa.Sink{Raw: out})
		return responded(response, err, func() *requests.ToolResponse { return response.Raw })
	}, request, out)
}

// OnTurnEnd answers the export of this name. There is nobody to answer an error to, so it goes to the log.
func OnTurnEnd(hook cepa.OnTurnEnd, turn *requests.TurnSummary) {
	wire.Keep(turn)
	_, err := guarded(hook, func() (wit.Unit, error) {
		hook.OnTurnEnd(&cepa.TurnSummary{Raw: turn})
		return wit.Unit{}, nil
	})
	wire.Release(nil)
	if err != nil {
		log.Errorf("%s", told(err))
	}
}

// MigrateState answers the export `migrate-state`.
func MigrateState(hook cepa.MigrateState, fromConfig string) result[wit.Unit] {
	return answer(hook, func() (wit.Unit, error) { return wit.Unit{}, hook.MigrateState(fromConfig) })
}

// What a hook answers with as the bindings take it: a handle that is still its own.
func responded[Response any, Raw interface{ Handle() int32 }](response *Response, err error, raw func() Raw) (Raw, error) {
	var nothing Raw
	if err != nil {
		return nothing, err
	}
	if response == nil {
		return nothing, errors.New("the hook gave neither a response nor an error")
	}
	handle := raw()
	handle.Handle() // Panics when it was given away.
	return handle, nil
}
