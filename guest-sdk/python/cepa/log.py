"""The layer's log: the contract's `log`, and a function for each level."""

from wit_world.imports.log import Level, write

__all__ = ["Level", "debug", "error", "info", "warn", "write"]


def debug(message: str) -> None:
    """For whoever looks for a fault."""
    write(Level.DEBUG, message)


def info(message: str) -> None:
    """What the layer did."""
    write(Level.INFO, message)


def warn(message: str) -> None:
    """What is odd, and went well."""
    write(Level.WARN, message)


def error(message: str) -> None:
    """What went wrong."""
    write(Level.ERROR, message)
