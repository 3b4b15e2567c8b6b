// Puts `!` behind the text of the last message, and calls the model.
#include "cepa.h"

static void mark_last(cepa_list_content_block_t content) {
  if (!content.len) return;
  cepa_content_block_t *block = &content.ptr[content.len - 1];
  if (block->tag == CEPA_CONTENT_BLOCK_TEXT) cepa_append(&block->val.text, CEPA_TEXT("!"));
}

bool on_model_call(cepa_model_request_t request, cepa_model_next_t next, cepa_sink_t out, cepa_model_response_t *ret,
                   cepa_error_t *err) {
  uint32_t last = cepa_model_request_message_count(request) - 1;
  cepa_message_t message;
  if (!cepa_model_request_message(request, last, &message, err)) return false;
  mark_last(message.content);
  return cepa_model_request_replace_message(request, last, message, err) &&
         cepa_model_next_run(next, request, ret, err);
}
