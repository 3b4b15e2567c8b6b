#include "guest.h"

typedef exports_cepa_middleware_on_model_call_own_model_request_t request_t;
typedef exports_cepa_middleware_on_model_call_own_model_next_t next_t;
typedef exports_cepa_middleware_on_model_call_own_sink_t sink_t;
typedef exports_cepa_middleware_on_model_call_own_model_response_t response_t;
typedef exports_cepa_middleware_on_model_call_error_t error_t;

bool exports_cepa_middleware_on_model_call_handle(request_t request, next_t next, sink_t out,
                                                  response_t *ret, error_t *err) {
  bool ok = cepa_middleware_flow_method_model_next_run(cepa_middleware_flow_borrow_model_next(next),
                                                       request, ret, err);
  // The request was given away; the other two handles are still this guest's to drop.
  cepa_middleware_flow_model_next_drop_own(next);
  cepa_middleware_flow_sink_drop_own(out);
  return ok;
}
