"""Writes Cepa middlewares in Python.

A middleware is a module with a function for each hook that it implements, or a class with a method for each:

    import cepa

    @cepa.middleware
    class Polite:
        def on_system_prompt(self, prompt: str) -> str:
            return f"{prompt} Say please."

The names are those of the contract: `wit/` has the words on each.
"""

from wit_world.imports import agents, clock, context, conversation, index, models, random, telemetry, tools, workspace
from wit_world.imports.events import *
from wit_world.imports.events import Event, EventKinds
from wit_world.imports.flow import *
from wit_world.imports.requests import *
from wit_world.imports.types import *

# Last: the contract's plain record `Error` gives way to the exception that carries it.
from . import http, log, state
from .config import config
from .error import Error, ErrorKind
from .message import assistant, result_of, set_text, text_of, tool_calls_of, user
from .middleware import middleware
from .run import events_of, run_changing
