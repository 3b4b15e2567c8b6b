"""Requests to granted servers: the contract's `http`, and the body on top of it."""

from wit_world.imports.http import HttpRequest, HttpResponse, fetch

from .error import Error, ErrorKind

__all__ = ["HttpRequest", "HttpResponse", "fetch", "get", "read_all", "read_start"]


def get(url: str) -> HttpResponse:
    """Asks for what is at an address. Any status is an answer."""
    return fetch(HttpRequest.create("GET", url))


def read_all(response: HttpResponse, max: int) -> bytes:
    """The rest of an answer's body; `limit` when there are more than `max` bytes."""
    body = _read(response, max)
    if len(body) > max:
        raise Error(ErrorKind.LIMIT, f"the answer has more than the {max} bytes that were wanted")
    return body


def read_start(response: HttpResponse, max: int) -> bytes:
    """The first bytes of an answer's body, at most `max`. What comes behind them is left unread."""
    return _read(response, max - 1)[:max]


def _read(response: HttpResponse, enough: int) -> bytes:
    """The body, until it ends or has more bytes than are enough."""
    body = bytearray()
    while len(body) <= enough and (portion := response.read()):
        body += portion
    return bytes(body)
