"""Asks the model again, with feedback, while its answer lacks what it must contain."""

from dataclasses import dataclass

import cepa
from cepa import log


@dataclass
class Config:
    must_contain: str
    attempts: int = 2


@cepa.middleware
class Feedback:
    def __init__(self, config: Config) -> None:
        self.config = config

    def on_model_call(
        self, request: cepa.ModelRequest, next: cepa.ModelNext, out: cepa.Sink
    ) -> cepa.ModelResponse:
        wanted = self.config.must_contain
        response = next.run(request.clone())
        for attempt in range(2, self.config.attempts + 1):
            # An answer with tool calls is not the last word: the results come first.
            if wanted in response.text() or response.tool_calls():
                break
            log.info(f"feedback: attempt {attempt}")
            request.push_message(response.message())
            request.push_message(cepa.user(f'Your answer must contain "{wanted}". Answer again.'))
            response = next.run(request.clone())
        return response
