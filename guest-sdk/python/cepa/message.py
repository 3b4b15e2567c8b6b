"""Making and reading messages, and the text of a response."""

from wit_world.imports.requests import ModelResponse, ReasoningResponse, ReplyResponse, ToolResponse
from wit_world.imports.types import (
    ContentBlock,
    ContentBlock_Text,
    ContentBlock_ToolCall,
    Message,
    ResultPart_Text,
    Role,
    ToolCall,
    ToolState,
)


def user(text: str) -> Message:
    """A user message of one text block."""
    return Message("", Role.USER, None, [ContentBlock_Text(text)], "")


def assistant(text: str) -> Message:
    """An assistant message of one text block."""
    return Message("", Role.ASSISTANT, None, [ContentBlock_Text(text)], "")


def text_of(message: Message) -> str:
    """The text blocks of a message, joined. A response has a method `text` of its own."""
    return "".join(block.value for block in message.content if isinstance(block, ContentBlock_Text))


def tool_calls_of(message: Message) -> list[ToolCall]:
    """The tool calls among the blocks of a message, in order."""
    return [block.value for block in message.content if isinstance(block, ContentBlock_ToolCall)]


def result_of(text: str, state: ToolState = ToolState.SUCCESS) -> ToolResponse:
    """What a tool answers: one text."""
    return ToolResponse(state, [ResultPart_Text(text)])


def set_text(response: ModelResponse | ReasoningResponse | ReplyResponse, text: str) -> None:
    """Puts one text in the place of the message's texts. All else in it stays: thoughts, calls and data."""
    message = response.message()
    content = message.content if message else []
    place = next((at for at, block in enumerate(content) if isinstance(block, ContentBlock_Text)), None)
    if place is None:
        calls = (at for at, block in enumerate(content) if isinstance(block, ContentBlock_ToolCall))
        place = next(calls, len(content))
    changed: list[ContentBlock] = [block for block in content if not isinstance(block, ContentBlock_Text)]
    changed.insert(place, ContentBlock_Text(text))
    response.set_content(changed)
