"""The contract's errors as an exception: raised by the host's calls, and to be raised by a hook."""

from typing import TYPE_CHECKING

from componentize_py_types import Err
from wit_world.imports.types import Error as Record
from wit_world.imports.types import ErrorKind

__all__ = ["Error", "ErrorKind"]

_WAITING_HELPS = (
    ErrorKind.TIMEOUT,
    ErrorKind.RATE_LIMITED,
    ErrorKind.OVERLOADED,
    ErrorKind.CONNECTION,
    ErrorKind.UPSTREAM,
)


class _Error(Exception):
    """What went wrong: a kind, and one sentence for a person.

    `retryable` follows from the kind where it is not given. `code` is a finer, stable word in kebab case.
    """

    value: Record

    def __init__(
        self,
        kind: "ErrorKind | Record",
        message: str = "",
        *,
        code: str = "",
        retryable: bool | None = None,
        retry_after_ms: int | None = None,
        status: int | None = None,
    ) -> None:
        # The host's own errors come as a whole record.
        if not isinstance(kind, Record):
            if retryable is None:
                retryable = kind in _WAITING_HELPS
            kind = Record(kind, code, message, retryable, retry_after_ms, status)
        Exception.__init__(self, kind)
        self.value = kind

    @classmethod
    def rejected(cls, code: str, message: str) -> "Error":
        """Raised by this middleware for a reason of its own; `code` is a stable word in kebab case."""
        return cls(ErrorKind.REJECTED, message, code=code)

    @classmethod
    def invalid(cls, message: str) -> "Error":
        """A value that can't be used."""
        return cls(ErrorKind.INVALID_INPUT, message)

    @property
    def kind(self) -> ErrorKind:
        return self.value.kind

    @property
    def code(self) -> str:
        return self.value.code

    @property
    def message(self) -> str:
        return self.value.message

    @property
    def retryable(self) -> bool:
        return self.value.retryable

    @property
    def retry_after_ms(self) -> int | None:
        return self.value.retry_after_ms

    @property
    def status(self) -> int | None:
        return self.value.status

    def __str__(self) -> str:
        return f"{self.kind.name.lower().replace('_', '-')}: {self.message}"


def _become(target: type) -> type:
    """Gives the class that the bindings raise and accept what `_Error` has.

    The bindings know this one class alone, and `except` goes by real classes: so that `except cepa.Error` catches what
    the host raises and `raise cepa.Error(…)` reaches it, both must be the same.
    """
    # The generated class is frozen, which refuses even the notes and contexts that Python itself sets.
    for name in ("__setattr__", "__delattr__", "__eq__", "__hash__"):
        if name in target.__dict__:
            delattr(target, name)
    for name, member in vars(_Error).items():
        if name not in ("__dict__", "__weakref__", "__module__"):
            setattr(target, name, member)
    target.__name__ = target.__qualname__ = "Error"
    target.__module__ = "cepa"
    return target


if TYPE_CHECKING:
    Error = _Error
else:
    Error = _become(Err)
