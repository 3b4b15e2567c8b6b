"""Calls the model, and does nothing else."""

import cepa


def on_model_call(request: cepa.ModelRequest, next: cepa.ModelNext, out: cepa.Sink) -> cepa.ModelResponse:
    return next.run(request)
