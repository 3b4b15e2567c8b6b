"""What the component exports: a class for each interface, which catches what the author's hook raises."""

from collections.abc import Callable
from typing import Any

from wit_world.imports.events import EventKinds

from . import log
from .error import Error, ErrorKind
from .middleware import hook


def _told(raised: BaseException) -> str:
    """One sentence about an exception that the author did not mean to raise; the log has the trace."""
    what = f"{type(raised).__name__}: {raised}"
    log.error("\n".join([what, *_trace(raised)]))
    return what


def _trace(raised: BaseException) -> list[str]:
    """Where it was raised, innermost last. The module `traceback` would look for the sources, which are not there."""
    places, at = [], raised.__traceback__
    while at:
        code = at.tb_frame.f_code
        if code.co_filename != __file__:
            # The first folder is one of the build's.
            file = code.co_filename.lstrip("/").partition("/")[2]
            places.append(f"  at {file}:{at.tb_lineno}, in {code.co_name}")
        at = at.tb_next
    if raised.__cause__:
        places += [f"because of {type(raised.__cause__).__name__}: {raised.__cause__}", *_trace(raised.__cause__)]
    return places


def _answers(name: str) -> Callable[..., Any]:
    """An export that answers an error."""

    def call(_: Any, *given: Any) -> Any:
        try:
            return hook(name)(*given)
        except Error:
            raise
        except BaseException as raised:
            told = _told(raised)
        raise Error(ErrorKind.INTERNAL, told)

    return call


def _watches(name: str) -> Callable[..., None]:
    """An export that has nobody to answer an error to, so it goes to the log."""

    def call(_: Any, *given: Any) -> None:
        try:
            hook(name)(*given)
        except BaseException as raised:
            _told(raised)

    return call


class OnReply:
    handle = _answers("on_reply")


class OnReasoning:
    handle = _answers("on_reasoning")


class OnModelCall:
    handle = _answers("on_model_call")


class OnActing:
    handle = _answers("on_acting")


class OnCompressContext:
    handle = _answers("on_compress_context")


class OnCheckPermission:
    handle = _answers("on_check_permission")


class OnSystemPrompt:
    transform = _answers("on_system_prompt")


class OnEvents:
    transform = _answers("on_events")

    def kinds(self) -> EventKinds:
        """A middleware that can't say asks for every kind, so that the error is answered by `transform`."""
        try:
            return hook("kinds")()
        except BaseException as raised:
            _told(raised)
            return ~EventKinds(0)


class OnDraft:
    review = _answers("on_draft")


class ToolSource:
    list_tools = _answers("list_tools")
    call_tool = _answers("call_tool")


class OnTurnEnd:
    observe = _watches("on_turn_end")


class MigrateState:
    migrate = _answers("migrate_state")


def configuration(schema: str) -> type:
    """The export that says what configuration the middleware takes."""

    class Configuration:
        def schema(self) -> str:
            return schema

    return Configuration
