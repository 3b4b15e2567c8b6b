// What JavaScript authors expect to be there and the engine lacks.
import { error, debug, info, warn } from "./log.js";
import { decode, encode } from "./utf8.js";

const line = (write) => (...parts) => write(parts.map(shown).join(" "));
const shown = (part) => (typeof part === "string" || part instanceof Error ? String(part) : JSON.stringify(part));

globalThis.console = { debug: line(debug), log: line(info), info: line(info), warn: line(warn), error: line(error) };

// Without one of its own the engine closes handles by this.
Symbol.dispose ??= Symbol.for("dispose");

globalThis.TextEncoder ??= class {
  encoding = "utf-8";
  encode = (text = "") => encode(text);
};

globalThis.TextDecoder ??= class {
  constructor(encoding = "utf-8") {
    if (!/^utf-?8$/i.test(encoding)) throw new RangeError(`the encoding \`${encoding}\` is not there, only utf-8`);
  }
  encoding = "utf-8";
  decode = (bytes = []) => decode(bytes instanceof ArrayBuffer ? new Uint8Array(bytes) : bytes);
};
