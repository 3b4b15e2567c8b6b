// Making and reading messages, and the text of a response.
import requests from "cepa:middleware/requests@0.1.0";

export const user = (text) => message("user", text);
export const assistant = (text) => message("assistant", text);

function message(role, text) {
  return { id: "", role, name: null, content: [{ tag: "text", val: text }], metadata: "" };
}

export function textOf({ content }) {
  return content.map((block) => (block.tag === "text" ? block.val : "")).join("");
}

export function toolCallsOf({ content }) {
  return content.filter(({ tag }) => tag === "tool-call").map(({ val }) => val);
}

export function resultOf(text, state = "success") {
  return new requests.ToolResponse(state, [{ tag: "text", val: text }]);
}

export function setText(response, text) {
  const content = response.message()?.content ?? [];
  const first = (wanted) => content.findIndex(({ tag }) => tag === wanted);
  const place = [first("text"), first("tool-call"), content.length].find((at) => at >= 0);
  const changed = content.filter(({ tag }) => tag !== "text");
  changed.splice(place, 0, { tag: "text", val: text });
  response.setContent(changed);
}
