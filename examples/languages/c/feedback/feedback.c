// Asks the model again, with feedback, while its answer lacks what it must contain.
#include "cepa.h"

static bool passes(cepa_model_response_t response, cepa_string_t wanted) {
  // An answer with tool calls is not the last word: the results come first.
  return cepa_model_response_tool_calls(response).len || cepa_contains(cepa_model_response_text(response), wanted);
}

// Puts the answer, and what it lacks, at the end of the conversation.
static bool push_feedback(cepa_model_request_t request, cepa_model_response_t response, cepa_string_t wanted,
                          cepa_error_t *err) {
  cepa_string_t feedback = cepa_format("Your answer must contain \"%.*s\". Answer again.", CEPA_PRINT(wanted));
  return cepa_model_request_push_message(request, cepa_model_response_message(response), err) &&
         cepa_model_request_push_message(request, cepa_user(feedback), err);
}

bool on_model_call(cepa_model_request_t request, cepa_model_next_t next, cepa_sink_t out, cepa_model_response_t *ret,
                   cepa_error_t *err) {
  cepa_string_t wanted = cepa_config_string("must-contain", CEPA_TEXT(""));
  double attempts = cepa_config_number("attempts", 2);
  if (!cepa_model_next_run(next, request, ret, err)) return false;
  for (int attempt = 2; attempt <= attempts && !passes(*ret, wanted); attempt++) {
    cepa_log_info("feedback: attempt %d", attempt);
    if (!push_feedback(request, *ret, wanted, err)) return false;
    cepa_model_response_drop(*ret);
    if (!cepa_model_next_run(next, request, ret, err)) return false;
  }
  return true;
}
