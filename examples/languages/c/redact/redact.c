// Takes a text out of what is read, also where it comes in pieces, and out of the final answer.
#include "cepa.h"

#include <stdlib.h>

#define REDACTED CEPA_TEXT("[redacted]")
// `message-replaced` brings a whole message, with what was taken out of its pieces.
#define KINDS (CEPA_EVENT_KINDS_TEXT | CEPA_EVENT_KINDS_REVISION)

// A block of the stream, and the end of its text that may be the start of a match. It outlives the events.
typedef struct block {
  struct block *next;
  cepa_string_t id, held;
} block_t;

typedef struct {
  cepa_string_t pattern;
  block_t *blocks;
} redact_t;

static block_t *block_of(redact_t *redact, cepa_string_t id) {
  for (block_t *block = redact->blocks; block; block = block->next) {
    if (cepa_equal(block->id, id)) return block;
  }
  block_t *block = calloc(1, sizeof *block);
  if (!block) abort();
  block->next = redact->blocks;
  block->id = cepa_keep(id);
  return redact->blocks = block;
}

static void hold(block_t *block, cepa_string_t text) {
  cepa_string_t before = block->held;
  block->held = cepa_keep(text);
  free(before.ptr);
}

static void forget(redact_t *redact) {
  while (redact->blocks) {
    block_t *block = redact->blocks;
    redact->blocks = block->next;
    free(block->id.ptr);
    free(block->held.ptr);
    free(block);
  }
}

// Gives what is held and this text without matches, but for the end as far as a match may begin there. That is held.
static cepa_string_t pass(block_t *block, cepa_string_t text, cepa_string_t pattern) {
  cepa_string_t rest = {0}, sent = {0};
  cepa_append(&rest, block->held);
  cepa_append(&rest, text);
  for (size_t at; (at = cepa_find(rest, pattern)) < rest.len; rest = cepa_slice(rest, at + pattern.len, rest.len)) {
    cepa_append(&sent, cepa_slice(rest, 0, at));
    cepa_append(&sent, REDACTED);
  }
  size_t end = rest.len < pattern.len ? 0 : rest.len - pattern.len + 1;
  while (end < rest.len && !cepa_starts_with(pattern, cepa_slice(rest, end, rest.len))) end++;
  cepa_append(&sent, cepa_slice(rest, 0, end));
  hold(block, cepa_slice(rest, end, rest.len));
  return sent;
}

static void push_text(cepa_list_event_t *sent, cepa_string_t id, cepa_string_t text) {
  if (text.len) CEPA_PUSH(sent, cepa_text_delta(id, text));
}

static void redact_content(cepa_list_content_block_t content, cepa_string_t pattern) {
  for (size_t at = 0; at < content.len; at++) {
    cepa_content_block_t *block = &content.ptr[at];
    if (block->tag == CEPA_CONTENT_BLOCK_TEXT) block->val.text = cepa_replace(block->val.text, pattern, REDACTED);
  }
}

// Puts what goes out for an event at the end of `sent`.
static void redact_event(redact_t *redact, cepa_event_t event, cepa_list_event_t *sent) {
  if (event.tag == CEPA_EVENT_TEXT_DELTA) {
    cepa_text_delta_t delta = event.val.text_delta;
    push_text(sent, delta.id, pass(block_of(redact, delta.id), delta.text, redact->pattern));
    return;
  }
  if (event.tag == CEPA_EVENT_TEXT_END) {
    block_t *block = block_of(redact, event.val.text_end);
    cepa_string_t rest = {0};
    cepa_append(&rest, block->held);
    push_text(sent, event.val.text_end, rest);
    hold(block, CEPA_TEXT(""));
  }
  if (event.tag == CEPA_EVENT_MESSAGE_REPLACED) redact_content(event.val.message_replaced.content, redact->pattern);
  CEPA_PUSH(sent, event);
}

static bool redact_stream(redact_t *redact, cepa_reply_run_t run, cepa_sink_t out, cepa_error_t *err) {
  cepa_mark_t mark = cepa_mark();
  for (cepa_list_event_t events; cepa_reply_run_next(run, KINDS, &events); cepa_release(mark)) {
    cepa_list_event_t sent = {0};
    for (size_t at = 0; at < events.len; at++) redact_event(redact, events.ptr[at], &sent);
    if (!cepa_sink_emit(out, sent, err)) return false;
  }
  return true;
}

bool on_reply(cepa_reply_request_t request, cepa_reply_next_t next, cepa_sink_t out, cepa_reply_response_t *ret,
              cepa_error_t *err) {
  redact_t redact = {.pattern = cepa_config_string("pattern", CEPA_TEXT(""))};
  cepa_reply_run_t run = cepa_reply_next_start(next, request);
  bool done = redact_stream(&redact, run, out, err) && cepa_reply_run_finish(run, ret, err);
  cepa_reply_run_drop(run);
  forget(&redact);
  cepa_message_t message;
  if (!done || !cepa_reply_response_message(*ret, &message)) return done;
  redact_content(message.content, redact.pattern);
  return cepa_reply_response_set_content(*ret, message.content, err);
}
