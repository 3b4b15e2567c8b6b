package export_cepa_middleware_on_model_call

import (
	"wit_component/cepa_middleware_flow"
	"wit_component/cepa_middleware_requests"
	"wit_component/cepa_middleware_types"

	"go.bytecodealliance.org/pkg/wit/types"
)

func Handle(
	request *cepa_middleware_requests.ModelRequest,
	next *cepa_middleware_flow.ModelNext,
	out *cepa_middleware_flow.Sink,
) wit_types.Result[*cepa_middleware_requests.ModelResponse, cepa_middleware_types.Error] {
	// The garbage collector may come late.
	defer next.Drop()
	defer out.Drop()
	return next.Run(request)
}
