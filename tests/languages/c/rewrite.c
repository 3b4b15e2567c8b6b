#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "guest.h"

typedef exports_cepa_middleware_on_model_call_own_model_request_t request_t;
typedef exports_cepa_middleware_on_model_call_own_model_next_t next_t;
typedef exports_cepa_middleware_on_model_call_own_sink_t sink_t;
typedef exports_cepa_middleware_on_model_call_own_model_response_t response_t;
typedef exports_cepa_middleware_on_model_call_error_t error_t;
typedef cepa_middleware_requests_borrow_model_request_t borrowed_request_t;
typedef cepa_middleware_flow_own_model_run_t run_t;
typedef cepa_middleware_types_content_block_t block_t;

// A constant, for imports alone: they copy what they are given. What an export gives is freed, so it is `dup`ed.
static guest_string_t text(const char *literal) {
  return (guest_string_t){(uint8_t *)literal, strlen(literal)};
}

static void append(guest_string_t *to, const uint8_t *bytes, size_t len) {
  // An empty string owns no memory, and its pointer may be any.
  to->ptr = realloc(to->len > 0 ? to->ptr : NULL, to->len + len);
  memcpy(to->ptr + to->len, bytes, len);
  to->len += len;
}

static block_t text_block(guest_string_t content) {
  return (block_t){CEPA_MIDDLEWARE_TYPES_CONTENT_BLOCK_TEXT, {.text = content}};
}

// Whether a call was refused with this kind of error, which is freed; otherwise `err` becomes a refusal.
static bool refused(bool ok, uint8_t kind, error_t *err) {
  bool expected = !ok && err->kind == kind;
  if (!ok) cepa_middleware_types_error_free(err);
  if (expected) return true;
  *err = (error_t){.kind = CEPA_MIDDLEWARE_TYPES_ERROR_KIND_REJECTED};
  guest_string_dup(&err->code, "guest-check");
  guest_string_dup(&err->message, "another answer was expected");
  return false;
}

static void extend_prompt(borrowed_request_t request) {
  guest_string_t prompt, suffix = text(" (seen by c)");
  // Without a prompt the generated code leaves what it points to undefined.
  if (!cepa_middleware_requests_method_model_request_system_prompt(request, &prompt)) prompt.len = 0;
  append(&prompt, suffix.ptr, suffix.len);
  cepa_middleware_requests_method_model_request_set_system_prompt(request, &prompt);
  guest_string_free(&prompt);
}

static bool edit(borrowed_request_t request, error_t *err) {
  extend_prompt(request);
  block_t block = text_block(text("from c"));
  cepa_middleware_types_message_t message = {.role = CEPA_MIDDLEWARE_TYPES_ROLE_USER, .content = {&block, 1}};
  if (!cepa_middleware_requests_method_model_request_push_message(request, &message, err)) return false;

  guest_string_t temperature = text("temperature"), half = text("0.5");
  if (!cepa_middleware_requests_method_model_request_set_parameter(request, &temperature, &half, err)) return false;

  guest_string_t seed = text("seed"), broken = text("{broken");
  bool ok = cepa_middleware_requests_method_model_request_set_parameter(request, &seed, &broken, err);
  if (!refused(ok, CEPA_MIDDLEWARE_TYPES_ERROR_KIND_INVALID_INPUT, err)) return false;

  cepa_middleware_types_message_t missing;
  ok = cepa_middleware_requests_method_model_request_message(request, 9999, &missing, err);
  if (ok) cepa_middleware_types_message_free(&missing);
  return refused(ok, CEPA_MIDDLEWARE_TYPES_ERROR_KIND_INVALID_INPUT, err);
}

// Sends the text on in upper case and collects all of it.
static bool forward(run_t run, sink_t out, guest_string_t *all, error_t *err) {
  for (;;) {
    cepa_middleware_flow_list_event_t events;
    cepa_middleware_flow_method_model_run_next(cepa_middleware_flow_borrow_model_run(run),
                                               CEPA_MIDDLEWARE_EVENTS_EVENT_KINDS_TEXT, &events);
    if (events.len == 0) return true;
    for (size_t i = 0; i < events.len; i++) {
      if (events.ptr[i].tag != CEPA_MIDDLEWARE_EVENTS_EVENT_TEXT_DELTA) continue;
      guest_string_t *delta = &events.ptr[i].val.text_delta.text;
      for (size_t j = 0; j < delta->len; j++) delta->ptr[j] = toupper(delta->ptr[j]);
      append(all, delta->ptr, delta->len);
    }
    bool sent = cepa_middleware_flow_method_sink_emit(cepa_middleware_flow_borrow_sink(out), &events, err);
    cepa_middleware_flow_list_event_free(&events);
    if (!sent) return false;
  }
}

static bool answer(run_t run, sink_t out, response_t *ret, error_t *err) {
  guest_string_t all = {0};
  bool ok = forward(run, out, &all, err) &&
            cepa_middleware_flow_method_model_run_finish(cepa_middleware_flow_borrow_model_run(run), ret, err);
  if (ok) {
    block_t block = text_block(all);
    cepa_middleware_requests_list_content_block_t content = {&block, 1};
    ok = cepa_middleware_requests_method_model_response_set_content(
        cepa_middleware_requests_borrow_model_response(*ret), &content, err);
    if (!ok) cepa_middleware_requests_model_response_drop_own(*ret);
  }
  guest_string_free(&all);
  return ok;
}

bool exports_cepa_middleware_on_model_call_handle(request_t request, next_t next, sink_t out,
                                                  response_t *ret, error_t *err) {
  request_t edited = cepa_middleware_requests_method_model_request_clone(
      cepa_middleware_requests_borrow_model_request(request));
  bool ok = edit(cepa_middleware_requests_borrow_model_request(edited), err);
  if (ok) {
    run_t run = cepa_middleware_flow_method_model_next_start(cepa_middleware_flow_borrow_model_next(next), edited);
    guest_string_t line = text("rewrite: started a run");
    cepa_middleware_log_write(CEPA_MIDDLEWARE_LOG_LEVEL_INFO, &line);
    ok = answer(run, out, ret, err);
    cepa_middleware_flow_model_run_drop_own(run);
  } else {
    cepa_middleware_requests_model_request_drop_own(edited);
  }
  cepa_middleware_requests_model_request_drop_own(request);
  cepa_middleware_flow_model_next_drop_own(next);
  cepa_middleware_flow_sink_drop_own(out);
  return ok;
}
