"""Takes a text out of what is read, also where it comes in pieces, and out of the final answer."""

from dataclasses import dataclass

import cepa

REDACTED = "[redacted]"


@dataclass
class Config:
    pattern: str


@cepa.middleware
class Redact:
    def __init__(self, config: Config) -> None:
        self.pattern = config.pattern

    def on_reply(self, request: cepa.ReplyRequest, next: cepa.ReplyNext, out: cepa.Sink) -> cepa.ReplyResponse:
        held: dict[str, str] = {}
        # `message-replaced` brings a whole message, with what was taken out of its pieces.
        kinds = cepa.EventKinds.TEXT | cepa.EventKinds.REVISION
        with next.start(request) as run:
            while events := run.next(kinds):
                out.emit([sent for event in events for sent in self.changed(event, held)])
            response = run.finish()
        if message := response.message():
            response.set_content(self.without(message.content))
        return response

    def changed(self, event: cepa.Event, held: dict[str, str]) -> list[cepa.Event]:
        """What goes out for an event; `held` has the text of each block that may be the start of a match."""
        match event:
            case cepa.Event_TextDelta(delta):
                free, held[delta.id] = self.split(held.get(delta.id, "") + delta.text)
                return [cepa.Event_TextDelta(cepa.TextDelta(delta.id, free))] if free else []
            case cepa.Event_TextEnd(id):
                rest = held.pop(id, "")
                return [cepa.Event_TextDelta(cepa.TextDelta(id, rest)), event] if rest else [event]
            case cepa.Event_MessageReplaced(message):
                message.content = self.without(message.content)
        return [event]

    def split(self, text: str) -> tuple[str, str]:
        """The text without matches, and its end as far as a match may begin there."""
        *whole, rest = text.split(self.pattern)
        longest = min(len(self.pattern) - 1, len(rest))
        held = next((size for size in range(longest, 0, -1) if self.pattern.startswith(rest[-size:])), 0)
        end = len(rest) - held
        return REDACTED.join([*whole, rest[:end]]), rest[end:]

    def without(self, content: list[cepa.ContentBlock]) -> list[cepa.ContentBlock]:
        for block in content:
            if isinstance(block, cepa.ContentBlock_Text):
                block.value = block.value.replace(self.pattern, REDACTED)
        return content
