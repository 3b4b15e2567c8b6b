"""The layer's configuration."""

import json
from dataclasses import MISSING, fields, is_dataclass
from typing import Any, get_origin, get_type_hints

from wit_world.imports import context

from .error import Error


def config(into: type = dict) -> Any:
    """The layer's `config` from the manifest as a dict, or as a dataclass whose fields are its keys.

    The key `must-contain` is the field `must_contain`. A key that no field has, one that is missing and one of another
    type are `invalid-input`.
    """
    values = json.loads(context.config())
    return _fit(into, values) if is_dataclass(into) else values


def _fit(into: type, values: dict[str, Any]) -> Any:
    hints = get_type_hints(into)
    known = {field.name.replace("_", "-"): field for field in fields(into)}
    for key, value in values.items():
        if key not in known:
            raise _misfit(f"`{key}` is unknown; there are {_names(known)}")
        _check(key, value, hints[known[key].name])
    for key, field in known.items():
        if key not in values and field.default is MISSING and field.default_factory is MISSING:
            raise _misfit(f"`{key}` is missing")
    return into(**{known[key].name: value for key, value in values.items()})


def _check(key: str, value: Any, hint: Any) -> None:
    """Holds a value to a plain type; what a hint says beyond that is the schema's to check."""
    wanted = get_origin(hint) or hint
    if wanted is float and isinstance(value, int):
        wanted = int
    plain = wanted in (str, int, float, bool, list, dict)
    # To Python a truth value is a number too.
    if plain and (not isinstance(value, wanted) or (isinstance(value, bool) and wanted is not bool)):
        raise _misfit(f"`{key}` must be `{hint.__name__}`, not `{type(value).__name__}`")


def _names(keys: Any) -> str:
    return ", ".join(f"`{key}`" for key in sorted(keys)) or "none"


def _misfit(what: str) -> Error:
    return Error.invalid(f"the configuration does not fit: {what}")
