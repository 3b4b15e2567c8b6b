import assert from "node:assert/strict";
import { test } from "node:test";
import { decode, encode } from "../src/utf8.js";

test("every text goes there and back as the platform has it", () => {
  for (const text of ["", "plain", "é", "語", "😀", "%41", "\u{10ffff}", "\ud7ff\ue000", "a\0b"]) {
    assert.deepEqual(encode(text), new TextEncoder().encode(text));
    assert.equal(decode(encode(text)), text);
  }
});

test("what is no text becomes the replacement character", () => {
  assert.deepEqual(encode("a\ud800b"), new TextEncoder().encode("a\ufffdb"));
  for (const [bytes, text] of [
    [[0x61, 0xff, 0x62], "a\ufffdb"],
    [[0xc0, 0x80], "\ufffd\ufffd"],
    [[0xed, 0xa0, 0x80], "\ufffd\ufffd\ufffd"],
    [[0xf4, 0x90, 0x80, 0x80], "\ufffd\ufffd\ufffd\ufffd"],
    [[0xe2, 0x82], "\ufffd\ufffd"],
  ]) {
    assert.equal(decode(Uint8Array.from(bytes)), text);
  }
});
