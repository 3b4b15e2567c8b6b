"""What a layer remembers: the contract's `state`, and JSON on top of it."""

import json
from collections.abc import Callable
from typing import Any

from wit_world.imports.state import Scope, compare_and_set, delete, get, increment, keys, set

from .error import Error, ErrorKind

__all__ = [
    "Scope",
    "compare_and_set",
    "delete",
    "get",
    "get_json",
    "increment",
    "keys",
    "set",
    "set_json",
    "update_json",
]

_ATTEMPTS = 16


def get_json(scope: Scope, key: str, default: Any = None) -> Any:
    """The value of a key, read as JSON; `default` when there is none."""
    text = get(scope, key)
    return default if text is None else _parse(key, text)


def set_json(scope: Scope, key: str, value: Any) -> None:
    """Sets a value, written as JSON."""
    set(scope, key, json.dumps(value, ensure_ascii=False))


def update_json(scope: Scope, key: str, change: Callable[[Any], Any], default: Any = None) -> Any:
    """Sets the value that `change` makes of the one before, so that no change of another hook is lost, and gives it.

    `change` is given `default` where there is none, and runs again when the value was changed meanwhile. After 16
    attempts this is `overloaded`.
    """
    start = json.dumps(default)
    for _ in range(_ATTEMPTS):
        old = get(scope, key)
        value = change(_parse(key, start if old is None else old))
        if compare_and_set(scope, key, old, json.dumps(value, ensure_ascii=False)):
            return value
    raise Error(ErrorKind.OVERLOADED, f"the state `{key}` was changed by others {_ATTEMPTS} times in a row")


def _parse(key: str, text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError as cause:
        raise Error.invalid(f"the state `{key}` is no JSON: {cause}") from None
