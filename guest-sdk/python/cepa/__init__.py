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

from wit_world.imports import clock as clock
from wit_world.imports import context as context
from wit_world.imports import random as random
from wit_world.imports.events import *
from wit_world.imports.flow import *
from wit_world.imports.requests import *

# One by one, since the contract's plain record `Error` gives way to the exception that carries it.
from wit_world.imports.types import (
    ContentBlock as ContentBlock,
    ContentBlock_Data as ContentBlock_Data,
    ContentBlock_Hint as ContentBlock_Hint,
    ContentBlock_Other as ContentBlock_Other,
    ContentBlock_Text as ContentBlock_Text,
    ContentBlock_Thinking as ContentBlock_Thinking,
    ContentBlock_ToolCall as ContentBlock_ToolCall,
    ContentBlock_ToolResult as ContentBlock_ToolResult,
    DataBlock as DataBlock,
    DataSource as DataSource,
    DataSource_Bytes as DataSource_Bytes,
    DataSource_Url as DataSource_Url,
    ErrorKind as ErrorKind,
    FinishReason as FinishReason,
    HintBlock as HintBlock,
    Message as Message,
    OtherBlock as OtherBlock,
    OtherPart as OtherPart,
    Outcome as Outcome,
    ResultPart as ResultPart,
    ResultPart_Data as ResultPart_Data,
    ResultPart_Other as ResultPart_Other,
    ResultPart_Text as ResultPart_Text,
    Role as Role,
    ThinkingBlock as ThinkingBlock,
    ToolCall as ToolCall,
    ToolChoice as ToolChoice,
    ToolChoice_Auto as ToolChoice_Auto,
    ToolChoice_Named as ToolChoice_Named,
    ToolChoice_None_ as ToolChoice_None_,
    ToolChoice_Required as ToolChoice_Required,
    ToolDefinition as ToolDefinition,
    ToolResult as ToolResult,
    ToolState as ToolState,
    Usage as Usage,
)

from . import log as log
from .config import config as config
from .error import Error as Error
from .message import assistant as assistant
from .message import result_of as result_of
from .message import set_text as set_text
from .message import text_of as text_of
from .message import tool_calls_of as tool_calls_of
from .message import user as user
from .middleware import middleware as middleware
from .run import events_of as events_of
from .run import run_changing as run_changing

if TYPE_CHECKING:
    from wit_world.imports import agents as agents
    from wit_world.imports import conversation as conversation
    from wit_world.imports import index as index
    from wit_world.imports import models as models
    from wit_world.imports import telemetry as telemetry
    from wit_world.imports import tools as tools
    from wit_world.imports import workspace as workspace

    from . import http as http
    from . import state as state
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
