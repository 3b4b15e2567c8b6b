"""Puts `!` behind the text of the last message, and calls the model."""

import cepa


def on_model_call(request: cepa.ModelRequest, next: cepa.ModelNext, out: cepa.Sink) -> cepa.ModelResponse:
    last = request.message_count() - 1
    message = request.message(last)
    block = message.content[-1]
    if isinstance(block, cepa.ContentBlock_Text):
        block.value += "!"
    request.replace_message(last, message)
    return next.run(request)
