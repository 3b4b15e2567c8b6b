// Tests what `cepa.c` does by itself, without a host: texts, memory and JSON. `tests/run` compiles and runs it.
#include "cepa.h"

#include <stdio.h>
#include <stdlib.h>

static int failures;

#define CHECK(truth) \
  if (!(truth)) failures++, printf("%s:%d: not so: %s\n", __FILE__, __LINE__, #truth)

#define IS(text, literal) CHECK(is_text(text, CEPA_TEXT(literal), __LINE__))

static bool is_text(cepa_string_t text, cepa_string_t wanted, int line) {
  if (cepa_equal(text, wanted)) return true;
  printf("%d: `%.*s` instead of `%.*s`\n", line, CEPA_PRINT(text), CEPA_PRINT(wanted));
  return false;
}

static void texts_are_found_cut_and_replaced(void) {
  cepa_string_t text = CEPA_TEXT("aab aab"), none = {0};
  CHECK(cepa_find(text, CEPA_TEXT("ab")) == 1);
  CHECK(cepa_find(text, CEPA_TEXT("b aabx")) == text.len);
  CHECK(cepa_find(text, none) == 0 && cepa_find(none, text) == 0 && cepa_find(none, none) == 0);
  CHECK(cepa_contains(text, CEPA_TEXT("aab")) && cepa_contains(none, none) && !cepa_contains(none, text));
  CHECK(cepa_starts_with(text, CEPA_TEXT("aa")) && cepa_starts_with(text, none) && !cepa_starts_with(none, text));
  IS(cepa_slice(text, 4, SIZE_MAX), "aab");
  IS(cepa_slice(text, 5, 4), "");
  IS(cepa_slice(none, 0, 1), "");
  IS(cepa_trim(CEPA_TEXT(" \t a b\r\n")), "a b");
  IS(cepa_trim(CEPA_TEXT(" \n ")), "");
  IS(cepa_replace(text, CEPA_TEXT("aab"), CEPA_TEXT("aab!")), "aab! aab!");
  IS(cepa_replace(text, none, CEPA_TEXT("x")), "aab aab");
  IS(cepa_replace(none, text, text), "");
  CHECK(strcmp(cepa_c_text(cepa_slice(text, 0, 3)), "aab") == 0);
  CHECK(strcmp(cepa_c_text(none), "") == 0);
}

static void what_is_no_utf_8_is_replaced(void) {
  cepa_string_t text = CEPA_TEXT("aé€𝄞z");
  CHECK(cepa_decode((cepa_list_u8_t){text.ptr, text.len}).ptr == text.ptr);
  IS(cepa_first_characters(text, 4), "aé€𝄞");
  IS(cepa_first_characters(text, 0), "");
  IS(cepa_first_characters(text, SIZE_MAX), "aé€𝄞z");
  // A byte that only follows, one that never stands, too long forms, a surrogate, past the last, cut off.
  char bad[] = "\x80|\xFF|\xC0\x80|\xE0\x80\x80|\xED\xA0\x80|\xF4\x90\x80\x80|\xE2\x82";
  cepa_string_t made = cepa_decode((cepa_list_u8_t){(uint8_t *)bad, sizeof bad - 1});
  IS(cepa_replace(made, CEPA_TEXT("\uFFFD"), CEPA_TEXT("?")), "?|?|??|???|???|????|??");
  IS(cepa_format("%.3s|", "aé€"), "aé|");
  IS(cepa_format("%.2s|", "aé€"), "a\uFFFD|");
  IS(cepa_format("%s", ""), "");
}

static void what_grows_is_copied_seldom_and_shared_never(void) {
  cepa_string_t one = {0}, other = {0};
  size_t moves = 0;
  for (int at = 0; at < 10000; at++) {
    const uint8_t *before = one.ptr;
    cepa_append(&one, CEPA_TEXT("one"));
    cepa_append(&other, CEPA_TEXT("two"));
    cepa_alloc(1);
    moves += before != one.ptr;
  }
  CHECK(one.len == 30000 && cepa_find(one, CEPA_TEXT("t")) == one.len);
  CHECK(other.len == 30000 && cepa_find(other, CEPA_TEXT("n")) == other.len);
  CHECK(moves < 20);
  cepa_string_t first = one, second = one;
  cepa_append(&first, CEPA_TEXT("1"));
  cepa_append(&second, CEPA_TEXT("2"));
  CHECK(first.ptr[30000] == '1' && second.ptr[30000] == '2');
  cepa_string_t own = CEPA_TEXT("ab");
  cepa_append(&own, own);
  cepa_append(&own, own);
  IS(own, "abababab");
}

static void lists_grow(void) {
  cepa_list_event_t events = {0};
  for (int at = 0; at < 100; at++) CEPA_PUSH(&events, cepa_text_delta(cepa_format("%d", at), CEPA_TEXT("x")));
  CHECK(events.len == 100);
  IS(events.ptr[0].val.text_delta.id, "0");
  IS(events.ptr[99].val.text_delta.id, "99");
}

static void memory_is_used_again_by_the_next_hook(void) {
  cepa_hook_ends();
  cepa_hook_begins();
  uint8_t *first = cepa_alloc(100);
  cepa_string_t kept = cepa_keep(CEPA_TEXT("kept"));
  for (int hook = 0; hook < 2000; hook++) {
    for (int at = 0; at < 20; at++) memset(cepa_alloc(10000), hook, 10000);
    cepa_hook_ends();
    cepa_hook_begins();
    CHECK(cepa_alloc(100) == first);
  }
  CHECK((uintptr_t)cepa_alloc(1) % _Alignof(max_align_t) == 0 && cepa_alloc(0));
  IS(kept, "kept");
  free(kept.ptr);
}

static void a_loop_gives_its_memory_back(void) {
  cepa_string_t before = cepa_format("%s", "before");
  cepa_mark_t mark = cepa_mark();
  uint8_t *next = cepa_alloc(1);
  cepa_release(mark);
  for (int turn = 0; turn < 2000; turn++) {
    cepa_string_t made = {0};
    for (int at = 0; at < 1000; at++) cepa_append(&made, CEPA_TEXT("a thousand of these are more than one portion"));
    cepa_release(mark);
    CHECK(cepa_alloc(1) == next);
    cepa_release(mark);
  }
  cepa_append(&before, CEPA_TEXT(" and after"));
  IS(before, "before and after");
}

static void messages_and_tools_are_made(void) {
  cepa_message_t message = cepa_user(CEPA_TEXT("hi"));
  CHECK(message.role == CEPA_ROLE_USER);
  IS(cepa_text_of(message), "hi");
  cepa_content_block_t blocks[] = {
      {.tag = CEPA_CONTENT_BLOCK_THINKING},
      {.tag = CEPA_CONTENT_BLOCK_TEXT, .val.text = CEPA_TEXT("a")},
      {.tag = CEPA_CONTENT_BLOCK_TOOL_CALL},
      {.tag = CEPA_CONTENT_BLOCK_TEXT, .val.text = CEPA_TEXT("b")},
  };
  message.content = (cepa_list_content_block_t){blocks, 4};
  IS(cepa_text_of(message), "ab");
  cepa_list_content_block_t changed = cepa_with_text(message.content, CEPA_TEXT("c"));
  CHECK(changed.len == 3 && changed.ptr[1].tag == CEPA_CONTENT_BLOCK_TEXT);
  IS(changed.ptr[1].val.text, "c");
  blocks[1].tag = blocks[3].tag = CEPA_CONTENT_BLOCK_THINKING;
  changed = cepa_with_text(message.content, CEPA_TEXT("c"));
  CHECK(changed.len == 5 && changed.ptr[2].tag == CEPA_CONTENT_BLOCK_TEXT);
  changed = cepa_with_text((cepa_list_content_block_t){0}, CEPA_TEXT("c"));
  CHECK(changed.len == 1);
  IS(cepa_tool("t", "d", NULL).parameters,
     "{\"type\":\"object\",\"properties\":{},\"required\":[],\"additionalProperties\":false}");
  IS(cepa_tool("t", "d", "a", "b\"", NULL).parameters,
     "{\"type\":\"object\",\"properties\":{\"a\":{\"type\":\"string\"},\"b\\u0022\":{\"type\":\"string\"}},"
     "\"required\":[\"a\",\"b\\u0022\"],\"additionalProperties\":false}");
}

static void errors_have_words_and_say_whether_waiting_helps(void) {
  cepa_error_t err = {0};
  CHECK(!cepa_fail(&err, CEPA_ERROR_KIND_OVERLOADED, "%d times", 3) && err.retryable);
  IS(err.message, "3 times");
  CHECK(!cepa_reject(&err, "no-price", "no") && err.kind == CEPA_ERROR_KIND_REJECTED && !err.retryable);
  IS(err.code, "no-price");
  cepa_explain("on_reply", &err);
  IS(err.message, "no");
  err = (cepa_error_t){0};
  cepa_explain("on_reply", &err);
  CHECK(err.kind == CEPA_ERROR_KIND_INTERNAL);
  IS(err.message, "`on_reply` returned false and did not say why; set `*err`");
  CHECK(!cepa_forgot("on_reply", &err));
  IS(err.message, "`on_reply` returned true and gave no response; set `*ret`");
}

static void json_is_read(void) {
  cepa_string_t value, text;
  cepa_string_t object = CEPA_TEXT(" { \"a\" : [1, {\"b\":2}] , \"\\u0062\":\"x\\\"y\",\"a\": -0.5e+1,\"c\":{} } ");
  CHECK(cepa_json_get(object, "a", &value));
  IS(value, "-0.5e+1");
  CHECK(cepa_json_get(object, "b", &value) && cepa_json_string(value, &text));
  IS(text, "x\"y");
  CHECK(!cepa_json_get(object, "e", &value) && !cepa_json_get(CEPA_TEXT("[]"), "e", &value));
  CHECK(!cepa_json_get(CEPA_TEXT("{}"), "e", &value) && !cepa_json_get(CEPA_TEXT(""), "e", &value));
  double number = 7;
  CHECK(cepa_json_number(CEPA_TEXT(" -0.5e+1 "), &number) && number == -5);
  CHECK(!cepa_json_number(CEPA_TEXT("1e999"), &number) && number == -5);
  CHECK(cepa_json_number(CEPA_TEXT("1e-999"), &number) && number == 0);
  CHECK(cepa_json_number(CEPA_TEXT("9007199254740993"), &number) && number == 9007199254740992);
  bool truth = false;
  CHECK(cepa_json_bool(CEPA_TEXT("true"), &truth) && truth);
  CHECK(cepa_json_bool(CEPA_TEXT("false"), &truth) && !truth && !cepa_json_bool(CEPA_TEXT("1"), &truth));
  const char *numbers[] = {"01", "1.", ".5", "+1", "1e", "1e+", "0x1", "NaN", "Infinity", "-", "", "1 2", "\"1\""};
  for (size_t at = 0; at < sizeof numbers / sizeof *numbers; at++) {
    CHECK(!cepa_json_number(cepa_text(numbers[at]), &number));
  }
}

static void json_strings_are_read(void) {
  cepa_string_t text;
  CHECK(cepa_json_string(CEPA_TEXT("\"\\\"\\\\\\/\\b\\f\\n\\r\\t\\u00e9\\u20AC\\ud834\\uDD1E\\u0000\""), &text));
  IS(text, "\"\\/\b\f\n\r\té€𝄞\0");
  CHECK(cepa_json_string(CEPA_TEXT("\"\\ud834\\u0041\\udd1e\\ud834\""), &text));
  IS(text, "\uFFFDA\uFFFD\uFFFD");
  CHECK(cepa_json_string(CEPA_TEXT("\"\""), &text) && text.len == 0);
  const char *bad[] = {"\"", "\"\\\"", "\"\\x\"", "\"\\u12\"", "\"\\u12g4\"", "\"\n\"", "a", "\"a\"b", "null", "\"\\u"};
  for (size_t at = 0; at < sizeof bad / sizeof *bad; at++) CHECK(!cepa_json_string(cepa_text(bad[at]), &text));
  IS(cepa_json_quote(CEPA_TEXT("a\"\\\n\x01é\0")), "\"a\\u0022\\u005c\\u000a\\u0001é\\u0000\"");
  IS(cepa_json_quote((cepa_string_t){0}), "\"\"");
}

static void json_arrays_are_read_to_their_end_or_to_their_mistake(void) {
  cepa_string_t rest = CEPA_TEXT(" [ 1 , [2,[]] , \"]\" ] "), item;
  CHECK(cepa_json_next(&rest, &item));
  IS(item, "1");
  CHECK(cepa_json_next(&rest, &item));
  IS(item, "[2,[]]");
  CHECK(cepa_json_next(&rest, &item));
  IS(item, "\"]\"");
  CHECK(!cepa_json_next(&rest, &item) && !rest.ptr && !cepa_json_next(&rest, &item));
  const char *bad[] = {"[1", "[1,", "[1,]", "[1 2]", "[1]x", "[1}", "[1,x]", "[1[2]", "[1],[2]", "[,1]", "1,2", "{}"};
  for (size_t at = 0; at < sizeof bad / sizeof *bad; at++) {
    rest = cepa_text(bad[at]);
    while (cepa_json_next(&rest, &item)) {}
    CHECK(rest.ptr && !cepa_json_next(&rest, &item) && rest.ptr);
  }
  const char *worse[] = {
      "{\"a\":1", "{\"a\":1,\"b\" 2}", "{\"a\":1{\"b\":2}}", "{\"a\":1}x", "{\"a\":1,a:2}", ",\"a\":1}", "[\"a\",1]",
  };
  for (size_t at = 0; at < sizeof worse / sizeof *worse; at++) {
    CHECK(!cepa_json_get(cepa_text(worse[at]), "a", &item));
  }
}

static void json_arrays_grow(void) {
  cepa_string_t array = {0};
  cepa_json_push(&array, CEPA_TEXT("1"));
  cepa_json_push(&array, cepa_json_quote(CEPA_TEXT("]")));
  IS(array, "[1,\"]\"]");
  array = CEPA_TEXT(" [ ] ");
  cepa_json_push(&array, CEPA_TEXT("[]"));
  IS(array, "[ []]");
  array = CEPA_TEXT("[1");
  cepa_json_push(&array, CEPA_TEXT("2"));
  IS(array, "[2]");
}

static void json_is_no_deeper_than_is_safe(void) {
  for (size_t depth = 127; depth <= 130; depth++) {
    cepa_string_t deep = {0}, value;
    for (size_t at = 0; at < depth; at++) cepa_append(&deep, CEPA_TEXT("["));
    for (size_t at = 0; at < depth; at++) cepa_append(&deep, CEPA_TEXT("]"));
    cepa_string_t object = cepa_format("{\"a\":%.*s}", CEPA_PRINT(deep));
    CHECK(cepa_json_get(object, "a", &value) == (depth <= 128));
  }
  cepa_string_t deep = {cepa_alloc(1 << 24), 1 << 24}, value;
  memset(deep.ptr, '[', deep.len);
  CHECK(!cepa_json_next(&deep, &value));
}

int main(void) {
  texts_are_found_cut_and_replaced();
  what_is_no_utf_8_is_replaced();
  what_grows_is_copied_seldom_and_shared_never();
  lists_grow();
  messages_and_tools_are_made();
  errors_have_words_and_say_whether_waiting_helps();
  json_is_read();
  json_strings_are_read();
  json_arrays_are_read_to_their_end_or_to_their_mistake();
  json_arrays_grow();
  json_is_no_deeper_than_is_safe();
  a_loop_gives_its_memory_back();
  memory_is_used_again_by_the_next_hook();
  if (failures == 0) puts("all is well");
  return failures != 0;
}
