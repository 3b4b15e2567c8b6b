// The layer's log: the contract's `log`, and a function for each level.
import host from "cepa:middleware/log@0.1.0";

// What was cut out of a text may end in half a character, which has no UTF-8.
export const write = (level, message) => host.write(level, String(message).toWellFormed());
export const debug = (message) => write("debug", message);
export const info = (message) => write("info", message);
export const warn = (message) => write("warn", message);
export const error = (message) => write("error", message);
