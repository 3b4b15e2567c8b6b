// Requests to granted servers: the contract's `http`, and the body on top of it.
import host from "cepa:middleware/http@0.1.0";
import { CepaError } from "./error.js";

export const { HttpRequest } = host;
export const fetch = (request) => host.fetch(request);

export function get(url) {
  return host.fetch(HttpRequest.create("GET", url));
}

export function readAll(response, max) {
  const body = read(response, max);
  if (body.length > max) {
    throw new CepaError("limit", `the answer has more than the ${max} bytes that were wanted`);
  }
  return body;
}

export function readStart(response, max) {
  return read(response, max - 1).subarray(0, max);
}

/** The body, until it ends or has more bytes than are enough. */
function read(response, enough) {
  let body = new Uint8Array();
  for (let portion; body.length <= enough && (portion = response.read()).length > 0; ) {
    const longer = new Uint8Array(body.length + portion.length);
    longer.set(body);
    longer.set(portion, body.length);
    body = longer;
  }
  return body;
}
