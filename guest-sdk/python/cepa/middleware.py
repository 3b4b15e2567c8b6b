"""The one middleware of an instance: a module's functions, or an object of its class."""

import inspect
import sys
from types import ModuleType
from typing import Any, TypeVar, get_type_hints

from wit_world.imports import random as chance

from .config import config

Class = TypeVar("Class", bound=type)


class _Chosen:
    """What the component is about, as far as it is known."""

    module: ModuleType
    made_by: type | None = None
    made: Any = None


def middleware(cls: Class) -> Class:
    """Makes a class the middleware: its methods are the hooks. Once in a project.

    It is made once an instance, on its first hook. When `__init__` takes a parameter, that is the configuration: the
    dataclass that it is annotated with, or else a dict. What an object holds lasts only as long as its instance does;
    what must last goes into `cepa.state`.
    """
    if _Chosen.made_by:
        raise TypeError(f"`{_Chosen.made_by.__name__}` is the middleware already; there is one in a project")
    _Chosen.made_by = cls
    return cls


def use(module: ModuleType) -> None:
    """Takes the author's module. Called while the component is built."""
    _Chosen.module = module


def hook(name: str) -> Any:
    """The author's function for a hook. The first call of an instance makes the middleware."""
    if _Chosen.made is None:
        _reseed()
        _Chosen.made = _make(_Chosen.made_by) if _Chosen.made_by else _Chosen.module
    return getattr(_Chosen.made, name)


def _make(cls: type) -> Any:
    parameters = list(inspect.signature(cls).parameters)
    if not parameters:
        return cls()
    hints = get_type_hints(getattr(cls, "__init__"))
    return cls(config(hints.get(parameters[0], dict)))


def _reseed() -> None:
    """Without this every instance would draw the same numbers: those of the seed that the build froze."""
    if drawn := sys.modules.get("random"):
        drawn.seed(chance.bytes(16))
