// The layer's log: the contract's `log`, and a function for each level.
import host from "cepa:middleware/log@0.1.0";

export const write = (level, message) => host.write(level, message);
export const debug = (message) => host.write("debug", message);
export const info = (message) => host.write("info", message);
export const warn = (message) => host.write("warn", message);
export const error = (message) => host.write("error", message);
