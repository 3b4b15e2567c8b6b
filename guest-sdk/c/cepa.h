// Writes Cepa middlewares in C.
//
// A middleware is a function for each hook that it implements:
//
//   bool on_system_prompt(cepa_string_t prompt, cepa_string_t *ret, cepa_error_t *err) {
//     *ret = cepa_format("%.*s Say please.", CEPA_PRINT(prompt));
//     return true;
//   }
//
// `contract/names.h` has all functions, types and words of the contract, `contract/hooks.h` the hooks. What can fail
// gives whether it did not, and says why in `err`.
//
// Memory: whatever the host or this header hands out is there until the hook returns, and nothing of it is freed, but
// for what `cepa_release` gives back. What must last longer goes into `cepa_state_set`, or through `cepa_keep`.
// Handles: those that a hook is given are dropped behind it, and those that it hands to `next` stay its own. A response
// is given away by returning it. Others are dropped with `cepa_…_drop`.
// Texts: bytes and their count, without a zero at the end. The host takes UTF-8 alone, and anything else as a fault.
#pragma once

#include "contract/hooks.h"
#include "contract/names.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

// Text.

// A literal as a text.
#define CEPA_TEXT(literal) ((cepa_string_t){(uint8_t *)("" literal), sizeof(literal) - 1})
// A text, by its name, as the two arguments that `%.*s` takes. What follows a zero in it is not printed.
#define CEPA_PRINT(text) (int)(text).len, (const char *)(text).ptr
#define CEPA_FORMATS(at, first) __attribute__((format(printf, at, first)))

// A text of C as a text; not copied.
cepa_string_t cepa_text(const char *text);
// A text as one of C, copied, with a zero behind it.
const char *cepa_c_text(cepa_string_t text);
// What `printf` would print, with U+FFFD for each byte that is no UTF-8.
cepa_string_t cepa_format(const char *format, ...) CEPA_FORMATS(1, 2);
bool cepa_equal(cepa_string_t one, cepa_string_t other);
bool cepa_starts_with(cepa_string_t text, cepa_string_t start);
bool cepa_contains(cepa_string_t text, cepa_string_t part);
// Where `part` first stands in `text`, in bytes; the length of `text` when it does not.
size_t cepa_find(cepa_string_t text, cepa_string_t part);
// The bytes from `start` to before `end`; not copied. What is past the end of the text is left out.
cepa_string_t cepa_slice(cepa_string_t text, size_t start, size_t end);
// The text without the spaces, tabs and line ends around it; not copied.
cepa_string_t cepa_trim(cepa_string_t text);
// Puts `part` at the end of `text`.
void cepa_append(cepa_string_t *text, cepa_string_t part);
// The text with `with` in the place of each `part`. An empty `part` is nowhere.
cepa_string_t cepa_replace(cepa_string_t text, cepa_string_t part, cepa_string_t with);
// The first characters of a text; not copied.
cepa_string_t cepa_first_characters(cepa_string_t text, size_t count);
// Bytes as a text, with U+FFFD for each that is no UTF-8; not copied when all are.
cepa_string_t cepa_decode(cepa_list_u8_t bytes);

// Memory and lists.

// Memory until the hook returns. Never null: without memory the hook ends as a fault.
void *cepa_alloc(size_t size);
// Puts an item at the end of a list of any type: `CEPA_PUSH(&events, cepa_text_delta(id, text))`.
#define CEPA_PUSH(list, ...)                                                                               \
  ((list)->ptr = cepa_grow((list)->ptr, (list)->len * sizeof *(list)->ptr, sizeof *(list)->ptr),           \
   (list)->ptr[(list)->len++] = (__VA_ARGS__))
// Room for `more` bytes behind these, in their place or with a copy of them elsewhere.
void *cepa_grow(void *old, size_t size, size_t more);
// A copy that outlives the hook, for `free(copy.ptr)`.
cepa_string_t cepa_keep(cepa_string_t text);
typedef struct {
  void *portion;
  size_t used;
} cepa_mark_t;
// Where the memory of the hook is now. A loop that goes on for long, such as one over the events of a run, gives back
// at its end what was handed out or has grown since then, the words of errors too.
cepa_mark_t cepa_mark(void);
void cepa_release(cepa_mark_t mark);

// Errors. Both give false: `return cepa_fail(err, …)`.

// An error of this kind, with one sentence for a person.
bool cepa_fail(cepa_error_t *err, cepa_error_kind_t kind, const char *format, ...) CEPA_FORMATS(3, 4);
// An error of the middleware's own; `code` is a stable word in kebab case.
bool cepa_reject(cepa_error_t *err, const char *code, const char *format, ...) CEPA_FORMATS(3, 4);

// The layer's log.

void cepa_log_debug(const char *format, ...) CEPA_FORMATS(1, 2);
void cepa_log_info(const char *format, ...) CEPA_FORMATS(1, 2);
void cepa_log_warn(const char *format, ...) CEPA_FORMATS(1, 2);
void cepa_log_error(const char *format, ...) CEPA_FORMATS(1, 2);

// JSON, as text: a value is a piece of it. In one with more than 128 arrays and objects inside one another nothing is
// found.

// The value of a key of an object; false when there is none, or when this is no object. Of two the last holds.
bool cepa_json_get(cepa_string_t object, const char *key, cepa_string_t *value);
// The next item of an array, which `rest` is at first; false at its end, where `rest.ptr` is then null, and where the
// text is no array.
bool cepa_json_next(cepa_string_t *rest, cepa_string_t *item);
// The next key of an object, which `rest` is at first, and its value; false as with an array.
bool cepa_json_next_member(cepa_string_t *rest, cepa_string_t *key, cepa_string_t *value);
// Reads a string; false when it is another value. Half a pair of surrogates is U+FFFD.
bool cepa_json_string(cepa_string_t value, cepa_string_t *text);
// Reads a number; false when it is another value, or larger than a double can be.
bool cepa_json_number(cepa_string_t value, double *number);
// Reads `true` or `false`; false when it is another value.
bool cepa_json_bool(cepa_string_t value, bool *truth);
// A text as a JSON string, in its quotes.
cepa_string_t cepa_json_quote(cepa_string_t text);
// Puts a value, itself JSON, at the end of an array. What is no array counts as `[]`.
void cepa_json_push(cepa_string_t *array, cepa_string_t value);

// The configuration.

// The string at a key of the layer's `config`, or else this one.
cepa_string_t cepa_config_string(const char *key, cepa_string_t otherwise);
// The number at a key of the layer's `config`, or else this one.
double cepa_config_number(const char *key, double otherwise);
// The truth at a key of the layer's `config`, or else this one.
bool cepa_config_bool(const char *key, bool otherwise);

// Messages and tools.

// A user message of one text block.
cepa_message_t cepa_user(cepa_string_t text);
// An assistant message of one text block.
cepa_message_t cepa_assistant(cepa_string_t text);
// The text blocks of a message, joined. A response has a function `text` of its own.
cepa_string_t cepa_text_of(cepa_message_t message);
// The content with one text in the place of its texts. All else in it stays.
cepa_list_content_block_t cepa_with_text(cepa_list_content_block_t content, cepa_string_t text);
// A tool that takes these strings, each of which it needs, up to a null.
cepa_tool_definition_t cepa_tool(const char *name, const char *description, ...) __attribute__((sentinel));
// What a tool answers: one text.
cepa_tool_response_t cepa_result_of(cepa_string_t text);
// What a tool that fails answers: why.
cepa_tool_response_t cepa_error_result_of(cepa_string_t text);

// Events.

// A piece of a text block.
cepa_event_t cepa_text_delta(cepa_string_t id, cepa_string_t text);

// State.

// Makes the new value of a key of the old one, which is null where there was none. May be called several times.
typedef cepa_string_t cepa_change_t(void *context, const cepa_string_t *old);
// Sets what `change` makes of a value, so that no change of another hook is lost, and gives it. After 16 attempts
// `overloaded`.
bool cepa_state_update(cepa_state_scope_t scope, cepa_string_t key, cepa_change_t *change, void *context,
                       cepa_string_t *ret, cepa_error_t *err);

// HTTP.

// Asks for what is at an address. Any status is an answer.
bool cepa_http_get(cepa_string_t url, cepa_http_response_t *ret, cepa_error_t *err);
// The first bytes of an answer's body, at most `max`. What comes behind them is left unread.
bool cepa_http_read_start(cepa_http_response_t response, size_t max, cepa_list_u8_t *ret, cepa_error_t *err);
// The rest of an answer's body; `limit` when there are more than `max` bytes.
bool cepa_http_read_all(cepa_http_response_t response, size_t max, cepa_list_u8_t *ret, cepa_error_t *err);

// Around a call.

// Changes an event on its way outward; false drops it. What it is given and makes is there until the event is sent.
typedef bool cepa_change_event_t(void *context, cepa_event_t *event);

// `cepa_model_run_changing` and so on run what is inside, and send outward what `change` makes of each event of these
// kinds. Change the response likewise: where the two differ, the host corrects the stream.
#define CEPA_RUN_CHANGING(hook)                                                                                       \
  bool cepa_##hook##_run_changing(cepa_##hook##_next_t next, cepa_##hook##_request_t request,                         \
                                  cepa_event_kinds_t kinds, cepa_sink_t out, cepa_change_event_t *change,             \
                                  void *context, cepa_##hook##_response_t *ret, cepa_error_t *err)
CEPA_RUN_CHANGING(reply);
CEPA_RUN_CHANGING(reasoning);
CEPA_RUN_CHANGING(model);
CEPA_RUN_CHANGING(tool);
CEPA_RUN_CHANGING(compress);

// What the exports call around each hook. Nothing for a middleware.

void cepa_hook_begins(void);
void cepa_hook_ends(void);
// A hook said that it was done, and gave no response. Gives false.
bool cepa_forgot(const char *hook, cepa_error_t *err);
// Gives an error its words where a hook left them out.
void cepa_explain(const char *hook, cepa_error_t *err);
