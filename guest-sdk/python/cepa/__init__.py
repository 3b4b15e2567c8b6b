"""Writes Cepa middlewares in Python.

A middleware is a module with a function for each hook that it implements, or a class with a method for each:

    import cepa

    @cepa.middleware
    class Polite:
        def on_system_prompt(self, prompt: str) -> str:
            return f"{prompt} Say please."

The names are those of the contract: `wit/` has the words on each.
"""

from importlib import import_module
from typing import TYPE_CHECKING

from wit_world.imports import clock, context, random
from wit_world.imports.events import *
from wit_world.imports.events import Event, EventKinds
from wit_world.imports.flow import *
from wit_world.imports.requests import *
from wit_world.imports.types import *

# Last: the contract's plain record `Error` gives way to the exception that carries it.
from . import log
from .config import config
from .error import Error, ErrorKind
from .message import assistant, result_of, set_text, text_of, tool_calls_of, user
from .middleware import middleware
from .run import events_of, run_changing

if TYPE_CHECKING:
    from wit_world.imports import agents, conversation, index, models, telemetry, tools, workspace

    from . import http, state
else:
    # What must be granted is in a component only where its project uses it; the build finds out.
    for _module in (
        "cepa.http",
        "cepa.state",
        "wit_world.imports.agents",
        "wit_world.imports.conversation",
        "wit_world.imports.index",
        "wit_world.imports.models",
        "wit_world.imports.telemetry",
        "wit_world.imports.tools",
        "wit_world.imports.workspace",
    ):
        try:
            globals()[_module.rpartition(".")[2]] = import_module(_module)
        except ImportError:
            pass
