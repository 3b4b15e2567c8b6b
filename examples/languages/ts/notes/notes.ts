// Gives the model tools to keep notes: from its own words, or from what a server answers.
import { CepaError, context, errorOf, http, resultOf, state } from "cepa";
import type { ToolDefinition, ToolRequest, ToolResponse } from "cepa";

const KEPT = 200;

const TOOLS: [name: string, description: string, wanted?: string][] = [
  ["add_note", "Keeps a note.", "text"],
  ["list_notes", "Gives all notes, one a line."],
  ["fetch_note", "Keeps the beginning of what is at an address as a note.", "url"],
];

export function listTools(): ToolDefinition[] {
  return TOOLS.map(([name, description, wanted]) => {
    return { name, description, parameters: parameters(wanted), parallel: false, metadata: "" };
  });
}

export function callTool(request: ToolRequest): ToolResponse {
  // By the parameters of the tool that is called; the host has checked them.
  const given: { text: string; url: string } = JSON.parse(request.arguments());
  switch (request.name()) {
    case "add_note":
      return noted(given.text);
    case "list_notes":
      return resultOf(state.getJson<string[]>("layer", key(), []).join("\n"));
    case "fetch_note":
      return fetchNote(given.url);
  }
  throw new CepaError("not-found", `there is no tool \`${request.name()}\``);
}

function noted(text: string): ToolResponse {
  const notes = state.updateJson<string[]>("layer", key(), (notes) => [...notes, text], []);
  return resultOf(`noted: ${notes.length} notes`);
}

function fetchNote(url: string): ToolResponse {
  let body: Uint8Array;
  try {
    // A character has at most four bytes.
    body = http.readStart(http.get(url), 4 * KEPT);
  } catch (thrown) {
    const refused = errorOf(thrown);
    if (!refused) throw thrown;
    return resultOf(refused.message, "error");
  }
  return noted([...new TextDecoder().decode(body)].slice(0, KEPT).join(""));
}

// One list for each session.
function key(): string {
  return context.sessionId();
}

function parameters(wanted?: string): string {
  const properties = wanted ? { [wanted]: { type: "string" } } : {};
  return JSON.stringify({ type: "object", properties, required: Object.keys(properties), additionalProperties: false });
}
