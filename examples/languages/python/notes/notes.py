"""Gives the model tools to keep notes: from its own words, or from what a server answers."""

import json

import cepa
from cepa import context, http, state

KEPT = 200

TOOLS = [
    ("add_note", "Keeps a note.", "text"),
    ("list_notes", "Gives all notes, one a line.", None),
    ("fetch_note", "Keeps the beginning of what is at an address as a note.", "url"),
]


def list_tools() -> list[cepa.ToolDefinition]:
    return [
        cepa.ToolDefinition(name, description, parameters(wanted), parallel=False, metadata="")
        for name, description, wanted in TOOLS
    ]


def call_tool(request: cepa.ToolRequest, out: cepa.Sink) -> cepa.ToolResponse:
    given = json.loads(request.arguments())
    match request.name():
        case "add_note":
            return noted(given["text"])
        case "list_notes":
            return cepa.result_of("\n".join(state.get_json(state.Scope.LAYER, key(), [])))
        case "fetch_note":
            return fetch_note(given["url"])
        case other:
            raise cepa.Error(cepa.ErrorKind.NOT_FOUND, f"there is no tool `{other}`")


def noted(text: str) -> cepa.ToolResponse:
    notes = state.update_json(state.Scope.LAYER, key(), lambda notes: [*notes, text], [])
    return cepa.result_of(f"noted: {len(notes)} notes")


def fetch_note(url: str) -> cepa.ToolResponse:
    try:
        with http.get(url) as answer:
            # A character has at most four bytes.
            body = http.read_start(answer, 4 * KEPT)
    except cepa.Error as refused:
        return cepa.result_of(refused.message, cepa.ToolState.ERROR)
    return noted(body.decode("utf-8", "replace")[:KEPT])


def key() -> str:
    """One list for each session."""
    return context.session_id()


def parameters(wanted: str | None) -> str:
    properties = {wanted: {"type": "string"}} if wanted else {}
    return json.dumps(
        {"type": "object", "properties": properties, "required": list(properties), "additionalProperties": False}
    )
