// What a layer remembers: the contract's `state`, and JSON on top of it.
import host from "cepa:middleware/state@0.1.0";
import { CepaError } from "./error.js";

const ATTEMPTS = 16;

export const get = (scope, key) => host.get(scope, key);
export const set = (scope, key, value) => host.set(scope, key, value);
const remove = (scope, key) => host.delete(scope, key);
export { remove as delete };
export const keys = (scope, prefix) => host.keys(scope, prefix);
export const compareAndSet = (scope, key, expected, value) => host.compareAndSet(scope, key, expected, value);
export const increment = (scope, key, delta) => host.increment(scope, key, delta);

export function getJson(scope, key, missing = null) {
  const text = host.get(scope, key);
  return text == null ? missing : parse(key, text);
}

export function setJson(scope, key, value) {
  host.set(scope, key, JSON.stringify(value));
}

export function updateJson(scope, key, change, missing = null) {
  const start = JSON.stringify(missing);
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const old = host.get(scope, key);
    const value = change(parse(key, old ?? start));
    if (host.compareAndSet(scope, key, old, JSON.stringify(value))) return value;
  }
  throw new CepaError("overloaded", `the state \`${key}\` was changed by others ${ATTEMPTS} times in a row`);
}

function parse(key, text) {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw CepaError.invalid(`the state \`${key}\` is no JSON: ${cause.message}`);
  }
}
