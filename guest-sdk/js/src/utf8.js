// UTF-8 by hand, since the engine has neither `TextEncoder` nor `TextDecoder`.

export function encode(text) {
  // A lone surrogate has no UTF-8.
  const escaped = encodeURIComponent(text.toWellFormed());
  const bytes = [];
  for (let at = 0; at < escaped.length; at++) {
    if (escaped[at] !== "%") bytes.push(escaped.charCodeAt(at));
    else bytes.push(parseInt(escaped.slice(at + 1, (at += 2) + 1), 16));
  }
  return Uint8Array.from(bytes);
}

/** What is no UTF-8 becomes U+FFFD, each byte that can't begin or go on a character by itself. */
export function decode(bytes) {
  const parts = [];
  for (let at = 0; at < bytes.length; ) {
    const [point, size] = character(bytes, at) ?? [0xfffd, 1];
    parts.push(String.fromCodePoint(point));
    at += size;
  }
  return parts.join("");
}

function character(bytes, at) {
  const first = bytes[at];
  if (first < 0x80) return [first, 1];
  const size = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
  if (first < 0xc2 || first > 0xf4 || at + size > bytes.length) return undefined;
  let point = first & (0x7f >> size);
  for (let next = at + 1; next < at + size; next++) {
    if ((bytes[next] & 0xc0) !== 0x80) return undefined;
    point = (point << 6) | (bytes[next] & 0x3f);
  }
  const least = [0, 0, 0x80, 0x800, 0x10000][size];
  const surrogate = point >= 0xd800 && point <= 0xdfff;
  return point < least || point > 0x10ffff || surrogate ? undefined : [point, size];
}
