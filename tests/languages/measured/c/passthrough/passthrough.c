// Calls the model, and does nothing else.
#include "cepa.h"

bool on_model_call(cepa_model_request_t request, cepa_model_next_t next, cepa_sink_t out, cepa_model_response_t *ret,
                   cepa_error_t *err) {
  return cepa_model_next_run(next, request, ret, err);
}
