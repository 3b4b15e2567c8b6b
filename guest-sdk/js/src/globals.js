// What JavaScript authors expect to be there: the engine lacks it, or has it from a world that a component has not.
import clock from "cepa:middleware/clock@0.1.0";
import { error, debug, info, warn } from "./log.js";
import { number } from "./random.js";
import { decode, encode } from "./utf8.js";

const line = (write) => (...parts) => write(parts.map(shown).join(" "));
const shown = (part) => (typeof part === "object" && !(part instanceof Error) ? JSON.stringify(part) : String(part));

globalThis.console = { debug: line(debug), log: line(info), info: line(info), warn: line(warn), error: line(error) };

const now = () => clock.nowMs();

// The engine's clock stands still, or is not there.
globalThis.Date = new Proxy(Date, {
  get: (date, name) => (name === "now" ? now : Reflect.get(date, name)),
  construct: (date, given, made) => Reflect.construct(date, given.length > 0 ? given : [now()], made),
  apply: () => new Date().toString(),
});

globalThis.performance = { now: () => clock.monotonicUs() / 1000 };

/** The engine's chance was drawn when the component was built. Not before the module is loaded, when there is no host. */
export function useChance() {
  Math.random = () => number() / 2 ** 32;
}

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
