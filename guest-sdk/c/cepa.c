#include "cepa.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

// Memory: a list of portions, of which the newest is filled up, and all of which are void when the next hook begins.

#define PORTION 65536
// No hook needs more at once, and doubles of what is less do not overflow.
#define TOO_MUCH (SIZE_MAX / 4)
// As many texts and lists can grow in turn without being copied each time.
#define GROWING 8

typedef struct portion {
  struct portion *before;
  size_t size, used;
  _Alignas(max_align_t) uint8_t bytes[];
} portion_t;

static portion_t *portion, *first;
// Where something that grows ends, and how much room is kept behind it.
static struct {
  uint8_t *end;
  size_t room;
} growing[GROWING];
static size_t grown;
// The host reads what a hook returned after that, and asks for memory only to call the next one.
static bool over;

static void *allot(size_t size, size_t align) {
  if (size > TOO_MUCH) abort();
  size_t start = portion ? (portion->used + align - 1) / align * align : 0;
  if (!portion || start > portion->size || size > portion->size - start) {
    size_t room = size > PORTION ? size : PORTION;
    portion_t *more = malloc(sizeof(portion_t) + room);
    if (!more) abort();
    more->before = portion;
    more->size = room;
    portion = more;
    if (!first) first = more;
    start = 0;
  }
  portion->used = start + size;
  return portion->bytes + start;
}

cepa_mark_t cepa_mark(void) {
  if (!portion) allot(0, 1);
  return (cepa_mark_t){portion, portion->used};
}

void cepa_release(cepa_mark_t mark) {
  memset(growing, 0, sizeof growing);
  while (portion != mark.portion) {
    portion_t *before = portion->before;
    free(portion);
    portion = before;
  }
  if (portion) portion->used = mark.used;
}

static void clear(void) {
  over = false;
  cepa_release((cepa_mark_t){first, 0});
}

// Gives what is `size` bytes long room for `more` behind them: in its place, or else as a copy that can grow as much.
static void *enlarge(void *old, size_t size, size_t more, size_t align) {
  for (size_t at = 0; size && at < GROWING; at++) {
    if (growing[at].end != (uint8_t *)old + size || growing[at].room < more) continue;
    growing[at].end += more;
    growing[at].room -= more;
    return old;
  }
  if (size > TOO_MUCH || more > TOO_MUCH) abort();
  size_t sum = size + more;
  uint8_t *made = allot(2 * sum, align);
  if (size) memcpy(made, old, size);
  growing[grown].end = made + sum;
  growing[grown].room = sum;
  grown = (grown + 1) % GROWING;
  return made;
}

// The host asks for the memory of what it hands in.
#ifdef __wasm__
__attribute__((export_name("cabi_realloc")))
#endif
void *cabi_realloc(void *old, size_t old_size, size_t align, size_t size) {
  if (over) clear();
  if (size == 0) return (void *)align;
  void *made = allot(size, align);
  if (old_size) memcpy(made, old, old_size < size ? old_size : size);
  return made;
}

// The bindings' `free`.
void cepa_unneeded(void *memory) { (void)memory; }

void cepa_hook_begins(void) {
  if (over) clear();
}

void cepa_hook_ends(void) { over = true; }

void *cepa_alloc(size_t size) { return allot(size, _Alignof(max_align_t)); }

void *cepa_grow(void *old, size_t size, size_t more) { return enlarge(old, size, more, _Alignof(max_align_t)); }

cepa_string_t cepa_keep(cepa_string_t text) {
  uint8_t *copy = malloc(text.len + 1);
  if (!copy) abort();
  if (text.len) memcpy(copy, text.ptr, text.len);
  return (cepa_string_t){copy, text.len};
}

// Text.

cepa_string_t cepa_text(const char *text) { return (cepa_string_t){(uint8_t *)text, strlen(text)}; }

const char *cepa_c_text(cepa_string_t text) {
  char *copy = allot(text.len + 1, 1);
  if (text.len) memcpy(copy, text.ptr, text.len);
  copy[text.len] = 0;
  return copy;
}

static cepa_string_t formatted(const char *format, va_list arguments) {
  va_list again;
  va_copy(again, arguments);
  int len = vsnprintf(NULL, 0, format, again);
  va_end(again);
  if (len <= 0) return (cepa_string_t){0};
  cepa_list_u8_t made = {allot((size_t)len + 1, 1), (size_t)len};
  vsnprintf((char *)made.ptr, made.len + 1, format, arguments);
  return cepa_decode(made);
}

// Declares the text of a function's own format and the arguments behind it.
#define FORMATTED(text, format)                      \
  va_list arguments;                                 \
  va_start(arguments, format);                       \
  cepa_string_t text = formatted(format, arguments); \
  va_end(arguments)

cepa_string_t cepa_format(const char *format, ...) {
  FORMATTED(text, format);
  return text;
}

bool cepa_equal(cepa_string_t one, cepa_string_t other) {
  return one.len == other.len && (one.len == 0 || memcmp(one.ptr, other.ptr, one.len) == 0);
}

bool cepa_starts_with(cepa_string_t text, cepa_string_t start) {
  return start.len <= text.len && cepa_equal(cepa_slice(text, 0, start.len), start);
}

size_t cepa_find(cepa_string_t text, cepa_string_t part) {
  for (size_t at = 0; part.len <= text.len - at; at++) {
    if (part.len == 0 || memcmp(text.ptr + at, part.ptr, part.len) == 0) return at;
  }
  return text.len;
}

bool cepa_contains(cepa_string_t text, cepa_string_t part) { return !part.len || cepa_find(text, part) < text.len; }

cepa_string_t cepa_slice(cepa_string_t text, size_t start, size_t end) {
  if (end > text.len) end = text.len;
  if (start >= end) return (cepa_string_t){0};
  return (cepa_string_t){text.ptr + start, end - start};
}

static bool is_space(uint8_t byte) { return byte == ' ' || (byte >= '\t' && byte <= '\r'); }

cepa_string_t cepa_trim(cepa_string_t text) {
  size_t start = 0, end = text.len;
  while (start < end && is_space(text.ptr[start])) start++;
  while (start < end && is_space(text.ptr[end - 1])) end--;
  return cepa_slice(text, start, end);
}

void cepa_append(cepa_string_t *text, cepa_string_t part) {
  if (part.len == 0) return;
  text->ptr = enlarge(text->ptr, text->len, part.len, 1);
  memcpy(text->ptr + text->len, part.ptr, part.len);
  text->len += part.len;
}

cepa_string_t cepa_replace(cepa_string_t text, cepa_string_t part, cepa_string_t with) {
  cepa_string_t made = {0};
  for (size_t at; part.len && (at = cepa_find(text, part)) < text.len;) {
    cepa_append(&made, cepa_slice(text, 0, at));
    cepa_append(&made, with);
    text = cepa_slice(text, at + part.len, text.len);
  }
  cepa_append(&made, text);
  return made;
}

// How many bytes the character has that a text begins with; 0 when it begins with none.
static size_t character(cepa_string_t text) {
  if (text.len == 0) return 0;
  const uint8_t lead = text.ptr[0];
  if (lead < 0x80) return 1;
  size_t size = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
  if (lead < 0xC2 || lead > 0xF4 || text.len < size) return 0;
  // Not longer than need be, no surrogate, and nothing past U+10FFFF.
  uint8_t least = lead == 0xE0 ? 0xA0 : lead == 0xF0 ? 0x90 : 0x80;
  uint8_t most = lead == 0xED ? 0x9F : lead == 0xF4 ? 0x8F : 0xBF;
  if (text.ptr[1] < least || text.ptr[1] > most) return 0;
  for (size_t at = 2; at < size; at++) {
    if (text.ptr[at] >> 6 != 2) return 0;
  }
  return size;
}

// How many bytes of a text, up to so many characters, are UTF-8.
static size_t characters(cepa_string_t text, size_t count) {
  size_t len = 0;
  for (size_t size; count-- && (size = character(cepa_slice(text, len, text.len))); len += size) {}
  return len;
}

cepa_string_t cepa_first_characters(cepa_string_t text, size_t count) {
  return cepa_slice(text, 0, characters(text, count));
}

cepa_string_t cepa_decode(cepa_list_u8_t bytes) {
  cepa_string_t rest = {bytes.ptr, bytes.len}, made = {0};
  size_t sound = characters(rest, rest.len);
  if (sound == rest.len) return rest;
  for (; rest.len; sound = characters(rest, rest.len)) {
    cepa_append(&made, cepa_slice(rest, 0, sound));
    if (sound < rest.len) cepa_append(&made, CEPA_TEXT("\uFFFD"));
    rest = cepa_slice(rest, sound + 1, rest.len);
  }
  return made;
}

// Errors.

static bool waiting_helps(cepa_error_kind_t kind) {
  return kind == CEPA_ERROR_KIND_TIMEOUT || kind == CEPA_ERROR_KIND_RATE_LIMITED ||
         kind == CEPA_ERROR_KIND_OVERLOADED || kind == CEPA_ERROR_KIND_CONNECTION || kind == CEPA_ERROR_KIND_UPSTREAM;
}

bool cepa_fail(cepa_error_t *err, cepa_error_kind_t kind, const char *format, ...) {
  FORMATTED(message, format);
  *err = (cepa_error_t){.kind = kind, .message = message, .retryable = waiting_helps(kind)};
  return false;
}

bool cepa_reject(cepa_error_t *err, const char *code, const char *format, ...) {
  FORMATTED(message, format);
  *err = (cepa_error_t){.kind = CEPA_ERROR_KIND_REJECTED, .code = cepa_text(code), .message = message};
  return false;
}

bool cepa_forgot(const char *hook, cepa_error_t *err) {
  return cepa_fail(err, CEPA_ERROR_KIND_INTERNAL, "`%s` returned true and gave no response; set `*ret`", hook);
}

void cepa_explain(const char *hook, cepa_error_t *err) {
  if (err->message.len) return;
  // The first kind is the one of an error that nobody has set.
  if (err->kind == 0) err->kind = CEPA_ERROR_KIND_INTERNAL;
  err->message = cepa_format("`%s` returned false and did not say why; set `*err`", hook);
}

// The log.

#define LOG(name, level)                             \
  void cepa_log_##name(const char *format, ...) {    \
    FORMATTED(message, format);                      \
    cepa_log_write(CEPA_LOG_LEVEL_##level, message); \
  }
LOG(debug, DEBUG)
LOG(info, INFO)
LOG(warn, WARN)
LOG(error, ERROR)

// JSON. What reads it takes from the beginning of `rest`, and gives whether that was what it had to be.

#define DEPTH 128

static bool skip_value(cepa_string_t *rest, int depth);

// The byte that is next, or 0.
static uint8_t peek(const cepa_string_t *rest) { return rest->len ? rest->ptr[0] : 0; }

static uint8_t take(cepa_string_t *rest) {
  rest->len--;
  return *rest->ptr++;
}

static bool skip_one_of(cepa_string_t *rest, const char *bytes) {
  if (!peek(rest) || !strchr(bytes, peek(rest))) return false;
  take(rest);
  return true;
}

static void skip_space(cepa_string_t *rest) {
  while (skip_one_of(rest, " \t\n\r")) {}
}

static bool skip_mark(cepa_string_t *rest, char mark) {
  skip_space(rest);
  return skip_one_of(rest, (char[]){mark, 0});
}

static bool skip_word(cepa_string_t *rest, const char *word) {
  cepa_string_t wanted = cepa_text(word);
  if (!cepa_starts_with(*rest, wanted)) return false;
  *rest = cepa_slice(*rest, wanted.len, rest->len);
  return true;
}

static bool skip_digits(cepa_string_t *rest) {
  size_t before = rest->len;
  while (skip_one_of(rest, "0123456789")) {}
  return rest->len < before;
}

static bool skip_number(cepa_string_t *rest) {
  skip_one_of(rest, "-");
  if (!skip_one_of(rest, "0") && !skip_digits(rest)) return false;
  if (skip_one_of(rest, ".") && !skip_digits(rest)) return false;
  if (!skip_one_of(rest, "eE")) return true;
  skip_one_of(rest, "+-");
  return skip_digits(rest);
}

static bool skip_escape(cepa_string_t *rest) {
  bool digits = peek(rest) == 'u';
  if (!skip_one_of(rest, "\"\\/bfnrtu")) return false;
  for (int count = 0; digits && count < 4; count++) {
    if (!skip_one_of(rest, "0123456789abcdefABCDEF")) return false;
  }
  return true;
}

static bool skip_string(cepa_string_t *rest) {
  if (!skip_one_of(rest, "\"")) return false;
  while (peek(rest) >= ' ') {
    uint8_t byte = take(rest);
    if (byte == '"') return true;
    if (byte == '\\' && !skip_escape(rest)) return false;
  }
  return false;
}

static bool skip_key(cepa_string_t *rest) {
  skip_space(rest);
  return skip_string(rest) && skip_mark(rest, ':');
}

static bool skip_items(cepa_string_t *rest, char end, int depth) {
  take(rest);
  if (skip_mark(rest, end)) return true;
  do {
    if (end == '}' && !skip_key(rest)) return false;
    if (!skip_value(rest, depth)) return false;
  } while (skip_mark(rest, ','));
  return skip_mark(rest, end);
}

static bool skip_value(cepa_string_t *rest, int depth) {
  skip_space(rest);
  switch (peek(rest)) {
    case '[': return depth && skip_items(rest, ']', depth - 1);
    case '{': return depth && skip_items(rest, '}', depth - 1);
    case '"': return skip_string(rest);
    case 't': return skip_word(rest, "true");
    case 'f': return skip_word(rest, "false");
    case 'n': return skip_word(rest, "null");
    default: return skip_number(rest);
  }
}

// Takes a value, without the space around it.
static bool take_value(cepa_string_t *rest, cepa_string_t *value) {
  skip_space(rest);
  cepa_string_t start = *rest;
  if (!skip_value(rest, DEPTH)) return false;
  *value = cepa_slice(start, 0, start.len - rest->len);
  return true;
}

// Goes to the next item of an array or an object: behind its opening at first, and then behind a comma.
static bool to_next(cepa_string_t *rest, char start, char end) {
  if (skip_mark(rest, ',')) return true;
  bool begins = skip_mark(rest, start);
  if (!skip_mark(rest, end)) return begins;
  skip_space(rest);
  if (rest->len == 0) *rest = (cepa_string_t){0};
  return false;
}

// Whether another item follows, or the end. An opening would be taken for the first one.
static bool goes_on(cepa_string_t *rest, char end) {
  skip_space(rest);
  return peek(rest) == ',' || peek(rest) == end;
}

bool cepa_json_next(cepa_string_t *rest, cepa_string_t *item) {
  cepa_string_t left = *rest;
  bool taken = to_next(&left, '[', ']') && take_value(&left, item) && goes_on(&left, ']');
  if (taken || !left.ptr) *rest = left;
  return taken;
}

bool cepa_json_next_member(cepa_string_t *rest, cepa_string_t *key, cepa_string_t *value) {
  cepa_string_t left = *rest, quoted;
  bool taken = to_next(&left, '{', '}') && take_value(&left, &quoted) && cepa_json_string(quoted, key) &&
               skip_mark(&left, ':') && take_value(&left, value) && goes_on(&left, '}');
  if (taken || !left.ptr) *rest = left;
  return taken;
}

bool cepa_json_get(cepa_string_t object, const char *key, cepa_string_t *value) {
  cepa_string_t name, one, found = {0};
  skip_space(&object);
  if (peek(&object) != '{') return false;
  while (cepa_json_next_member(&object, &name, &one)) {
    if (cepa_equal(name, cepa_text(key))) found = one;
  }
  if (object.ptr || !found.ptr) return false;
  *value = found;
  return true;
}

static uint32_t take_digits(cepa_string_t *rest) {
  uint32_t number = 0;
  for (int count = 0; count < 4; count++) {
    uint8_t digit = take(rest);
    number = number * 16 + (digit <= '9' ? digit - '0' : (digit | 32) - 'a' + 10);
  }
  return number;
}

// The character behind `\u`, which may need a second such escape.
static uint32_t take_character(cepa_string_t *rest) {
  uint32_t code = take_digits(rest);
  if (code < 0xD800 || code > 0xDFFF) return code;
  cepa_string_t behind = *rest;
  if (code < 0xDC00 && skip_word(&behind, "\\u")) {
    uint32_t low = take_digits(&behind);
    if (low >= 0xDC00 && low <= 0xDFFF) {
      *rest = behind;
      return 0x10000 + ((code - 0xD800) << 10) + (low - 0xDC00);
    }
  }
  return 0xFFFD;
}

static uint8_t *put_character(uint8_t *end, uint32_t code) {
  size_t more = code < 0x80 ? 0 : code < 0x800 ? 1 : code < 0x10000 ? 2 : 3;
  static const uint8_t LEADS[] = {0, 0xC0, 0xE0, 0xF0};
  *end++ = (uint8_t)(LEADS[more] | code >> 6 * more);
  while (more--) *end++ = (uint8_t)(0x80 | (code >> 6 * more & 0x3F));
  return end;
}

// What stands between the quotes of a sound string.
static cepa_string_t unescaped(cepa_string_t inside) {
  if (!inside.len || !memchr(inside.ptr, '\\', inside.len)) return inside;
  // No escape is shorter than what it means.
  uint8_t *made = allot(inside.len, 1), *end = made;
  while (inside.len) {
    uint8_t byte = take(&inside);
    if (byte != '\\') {
      *end++ = byte;
      continue;
    }
    byte = take(&inside);
    const char *meant = strchr("b\bf\fn\nr\rt\t", byte);
    if (byte == 'u') {
      end = put_character(end, take_character(&inside));
    } else {
      *end++ = meant ? (uint8_t)meant[1] : byte;
    }
  }
  return (cepa_string_t){made, (size_t)(end - made)};
}

// Whether a text is one value that begins so. Gives it without the space around it.
static bool is_value(cepa_string_t text, cepa_string_t *value) {
  bool taken = take_value(&text, value);
  skip_space(&text);
  return taken && text.len == 0;
}

bool cepa_json_string(cepa_string_t value, cepa_string_t *text) {
  if (!is_value(value, &value) || peek(&value) != '"') return false;
  *text = unescaped(cepa_slice(value, 1, value.len - 1));
  return true;
}

bool cepa_json_number(cepa_string_t value, double *number) {
  if (!is_value(value, &value) || !strchr("-0123456789", peek(&value))) return false;
  double read = strtod(cepa_c_text(value), NULL);
  if (isfinite(read)) *number = read;
  return isfinite(read);
}

bool cepa_json_bool(cepa_string_t value, bool *truth) {
  if (!is_value(value, &value) || !strchr("tf", peek(&value))) return false;
  *truth = peek(&value) == 't';
  return true;
}

cepa_string_t cepa_json_quote(cepa_string_t text) {
  cepa_string_t made = {0};
  cepa_append(&made, CEPA_TEXT("\""));
  while (text.len) {
    size_t plain = 0;
    while (plain < text.len && text.ptr[plain] >= ' ' && text.ptr[plain] != '"' && text.ptr[plain] != '\\') plain++;
    cepa_append(&made, cepa_slice(text, 0, plain));
    if (plain < text.len) cepa_append(&made, cepa_format("\\u%04x", text.ptr[plain]));
    text = cepa_slice(text, plain + 1, text.len);
  }
  cepa_append(&made, CEPA_TEXT("\""));
  return made;
}

void cepa_json_push(cepa_string_t *array, cepa_string_t value) {
  cepa_string_t sound, item, made = {0};
  if (!is_value(*array, &sound) || peek(&sound) != '[') sound = CEPA_TEXT("[]");
  cepa_string_t rest = sound;
  cepa_append(&made, cepa_slice(sound, 0, sound.len - 1));
  if (cepa_json_next(&rest, &item)) cepa_append(&made, CEPA_TEXT(","));
  cepa_append(&made, value);
  cepa_append(&made, CEPA_TEXT("]"));
  *array = made;
}

// The configuration.

#define CONFIG(type, name)                                             \
  type cepa_config_##name(const char *key, type otherwise) {           \
    cepa_string_t value;                                               \
    type read;                                                         \
    bool there = cepa_json_get(cepa_context_config(), key, &value);    \
    return there && cepa_json_##name(value, &read) ? read : otherwise; \
  }
CONFIG(cepa_string_t, string)
CONFIG(double, number)
CONFIG(bool, bool)

// Messages and tools.

static cepa_message_t said(cepa_role_t role, cepa_string_t text) {
  cepa_content_block_t *block = cepa_alloc(sizeof *block);
  *block = (cepa_content_block_t){.tag = CEPA_CONTENT_BLOCK_TEXT, .val.text = text};
  return (cepa_message_t){.role = role, .content = {block, 1}};
}

cepa_message_t cepa_user(cepa_string_t text) { return said(CEPA_ROLE_USER, text); }

cepa_message_t cepa_assistant(cepa_string_t text) { return said(CEPA_ROLE_ASSISTANT, text); }

cepa_string_t cepa_text_of(cepa_message_t message) {
  cepa_string_t text = {0};
  for (size_t at = 0; at < message.content.len; at++) {
    const cepa_content_block_t *block = &message.content.ptr[at];
    if (block->tag == CEPA_CONTENT_BLOCK_TEXT) cepa_append(&text, block->val.text);
  }
  return text;
}

// Where a text goes: in the place of the first one, or else before the first call, or else at the end.
static size_t place_of_text(cepa_list_content_block_t content) {
  for (size_t at = 0; at < content.len; at++) {
    if (content.ptr[at].tag == CEPA_CONTENT_BLOCK_TEXT) return at;
  }
  for (size_t at = 0; at < content.len; at++) {
    if (content.ptr[at].tag == CEPA_CONTENT_BLOCK_TOOL_CALL) return at;
  }
  return content.len;
}

cepa_list_content_block_t cepa_with_text(cepa_list_content_block_t content, cepa_string_t text) {
  size_t place = place_of_text(content);
  cepa_list_content_block_t made = {cepa_alloc((content.len + 1) * sizeof *made.ptr), 0};
  for (size_t at = 0; at <= content.len; at++) {
    if (at == place) made.ptr[made.len++] = (cepa_content_block_t){.tag = CEPA_CONTENT_BLOCK_TEXT, .val.text = text};
    if (at < content.len && content.ptr[at].tag != CEPA_CONTENT_BLOCK_TEXT) made.ptr[made.len++] = content.ptr[at];
  }
  return made;
}

cepa_tool_definition_t cepa_tool(const char *name, const char *description, ...) {
  cepa_string_t properties = {0}, required = {0};
  va_list wanted;
  va_start(wanted, description);
  for (const char *one; (one = va_arg(wanted, const char *));) {
    cepa_string_t quoted = cepa_json_quote(cepa_text(one));
    const char *comma = properties.len ? "," : "";
    cepa_append(&properties, cepa_format("%s%.*s:{\"type\":\"string\"}", comma, CEPA_PRINT(quoted)));
    cepa_append(&required, cepa_format("%s%.*s", comma, CEPA_PRINT(quoted)));
  }
  va_end(wanted);
  return (cepa_tool_definition_t){
      .name = cepa_text(name),
      .description = cepa_text(description),
      .parameters = cepa_format("{\"type\":\"object\",\"properties\":{%.*s},\"required\":[%.*s],"
                                "\"additionalProperties\":false}",
                                CEPA_PRINT(properties), CEPA_PRINT(required)),
  };
}

static cepa_tool_response_t answered(cepa_tool_state_t state, cepa_string_t text) {
  cepa_result_part_t part = {.tag = CEPA_RESULT_PART_TEXT, .val.text = text};
  return cepa_tool_response_new(state, (cepa_list_result_part_t){&part, 1});
}

cepa_tool_response_t cepa_result_of(cepa_string_t text) { return answered(CEPA_TOOL_STATE_SUCCESS, text); }

cepa_tool_response_t cepa_error_result_of(cepa_string_t text) { return answered(CEPA_TOOL_STATE_ERROR, text); }

// Events.

cepa_event_t cepa_text_delta(cepa_string_t id, cepa_string_t text) {
  return (cepa_event_t){.tag = CEPA_EVENT_TEXT_DELTA, .val.text_delta = {id, text}};
}

// State.

#define ATTEMPTS 16

bool cepa_state_update(cepa_state_scope_t scope, cepa_string_t key, cepa_change_t *change, void *context,
                       cepa_string_t *ret, cepa_error_t *err) {
  for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
    cepa_option_string_t old;
    if (!cepa_state_get(scope, key, &old, err)) return false;
    cepa_string_t *expected = old.is_some ? &old.val : NULL;
    *ret = change(context, expected);
    bool set;
    if (!cepa_state_compare_and_set(scope, key, expected, ret, &set, err)) return false;
    if (set) return true;
  }
  return cepa_fail(err, CEPA_ERROR_KIND_OVERLOADED, "the state `%.*s` was changed by others %d times in a row",
                   CEPA_PRINT(key), ATTEMPTS);
}

// HTTP.

bool cepa_http_get(cepa_string_t url, cepa_http_response_t *ret, cepa_error_t *err) {
  cepa_http_request_t request;
  return cepa_http_request_create(CEPA_TEXT("GET"), url, &request, err) && cepa_http_fetch(request, ret, err);
}

// Reads a body until it ends, or has as many bytes as are enough.
static bool read_body(cepa_http_response_t response, size_t enough, cepa_list_u8_t *body, cepa_error_t *err) {
  *body = (cepa_list_u8_t){0};
  while (body->len < enough) {
    cepa_list_u8_t next;
    if (!cepa_http_response_read(response, &next, err)) return false;
    if (next.len == 0) break;
    body->ptr = enlarge(body->ptr, body->len, next.len, 1);
    memcpy(body->ptr + body->len, next.ptr, next.len);
    body->len += next.len;
  }
  return true;
}

bool cepa_http_read_start(cepa_http_response_t response, size_t max, cepa_list_u8_t *ret, cepa_error_t *err) {
  if (!read_body(response, max, ret, err)) return false;
  if (ret->len > max) ret->len = max;
  return true;
}

bool cepa_http_read_all(cepa_http_response_t response, size_t max, cepa_list_u8_t *ret, cepa_error_t *err) {
  if (!read_body(response, max < SIZE_MAX ? max + 1 : max, ret, err)) return false;
  if (ret->len <= max) return true;
  return cepa_fail(err, CEPA_ERROR_KIND_LIMIT, "the answer has more than the %zu bytes that were wanted", max);
}

// Around a call.

// Leaves in the list what is to go outward.
static void change_all(cepa_list_event_t *events, cepa_change_event_t *change, void *context) {
  size_t kept = 0;
  for (size_t at = 0; at < events->len; at++) {
    if (change(context, &events->ptr[at])) events->ptr[kept++] = events->ptr[at];
  }
  events->len = kept;
}

// A run is dropped at once also where it fails, since until then it goes on.
#define RUN_CHANGING(hook)                                             \
  CEPA_RUN_CHANGING(hook) {                                            \
    cepa_##hook##_run_t run = cepa_##hook##_next_start(next, request); \
    cepa_mark_t mark = cepa_mark();                                    \
    cepa_list_event_t events;                                          \
    bool done = true;                                                  \
    while (done && cepa_##hook##_run_next(run, kinds, &events)) {      \
      change_all(&events, change, context);                            \
      done = events.len == 0 || cepa_sink_emit(out, events, err);      \
      if (done) cepa_release(mark);                                    \
    }                                                                  \
    done = done && cepa_##hook##_run_finish(run, ret, err);            \
    cepa_##hook##_run_drop(run);                                       \
    return done;                                                       \
  }
RUN_CHANGING(reply)
RUN_CHANGING(reasoning)
RUN_CHANGING(model)
RUN_CHANGING(tool)
RUN_CHANGING(compress)
