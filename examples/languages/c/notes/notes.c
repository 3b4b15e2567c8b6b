// Gives the model tools to keep notes: from its own words, or from what a server answers.
#include "cepa.h"

#define KEPT 200

bool list_tools(cepa_list_tool_definition_t *ret, cepa_error_t *err) {
  CEPA_PUSH(ret, cepa_tool("add_note", "Keeps a note.", "text", NULL));
  CEPA_PUSH(ret, cepa_tool("list_notes", "Gives all notes, one a line.", NULL));
  CEPA_PUSH(ret, cepa_tool("fetch_note", "Keeps the beginning of what is at an address as a note.", "url", NULL));
  return true;
}

// One list for each session, as a JSON array.
static cepa_string_t key(void) { return cepa_context_session_id(); }

static cepa_string_t with_note(void *note, const cepa_string_t *old) {
  cepa_string_t notes = old ? *old : CEPA_TEXT("[]");
  cepa_json_push(&notes, cepa_json_quote(*(cepa_string_t *)note));
  return notes;
}

static bool add_note(cepa_string_t note, cepa_tool_response_t *ret, cepa_error_t *err) {
  cepa_string_t notes, one;
  if (!cepa_state_update(CEPA_STATE_SCOPE_LAYER, key(), with_note, &note, &notes, err)) return false;
  size_t count = 0;
  while (cepa_json_next(&notes, &one)) count++;
  *ret = cepa_result_of(cepa_format("noted: %zu notes", count));
  return true;
}

static bool list_notes(cepa_tool_response_t *ret, cepa_error_t *err) {
  cepa_option_string_t notes;
  if (!cepa_state_get(CEPA_STATE_SCOPE_LAYER, key(), &notes, err)) return false;
  cepa_string_t lines = {0}, note;
  while (notes.is_some && cepa_json_next(&notes.val, &note)) {
    if (lines.len) cepa_append(&lines, CEPA_TEXT("\n"));
    if (cepa_json_string(note, &note)) cepa_append(&lines, note);
  }
  *ret = cepa_result_of(lines);
  return true;
}

static bool fetch(cepa_string_t url, cepa_list_u8_t *body, cepa_error_t *err) {
  cepa_http_response_t answer;
  if (!cepa_http_get(url, &answer, err)) return false;
  // A character has at most four bytes.
  bool done = cepa_http_read_start(answer, 4 * KEPT, body, err);
  cepa_http_response_drop(answer);
  return done;
}

static bool fetch_note(cepa_string_t url, cepa_tool_response_t *ret, cepa_error_t *err) {
  cepa_list_u8_t body;
  cepa_error_t refused;
  if (fetch(url, &body, &refused)) return add_note(cepa_first_characters(cepa_decode(body), KEPT), ret, err);
  *ret = cepa_error_result_of(refused.message);
  return true;
}

// The arguments match the tool's parameters: what it needs is there.
static cepa_string_t argument(cepa_tool_request_t request, const char *name) {
  cepa_string_t value = {0};
  if (cepa_json_get(cepa_tool_request_arguments(request), name, &value)) cepa_json_string(value, &value);
  return value;
}

bool call_tool(cepa_tool_request_t request, cepa_sink_t out, cepa_tool_response_t *ret, cepa_error_t *err) {
  cepa_string_t name = cepa_tool_request_name(request);
  if (cepa_equal(name, CEPA_TEXT("add_note"))) return add_note(argument(request, "text"), ret, err);
  if (cepa_equal(name, CEPA_TEXT("list_notes"))) return list_notes(ret, err);
  if (cepa_equal(name, CEPA_TEXT("fetch_note"))) return fetch_note(argument(request, "url"), ret, err);
  return cepa_fail(err, CEPA_ERROR_KIND_NOT_FOUND, "there is no tool `%.*s`", CEPA_PRINT(name));
}
