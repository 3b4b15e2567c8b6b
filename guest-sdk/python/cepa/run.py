"""What most layers do with a run of `next`."""

from collections.abc import Callable, Iterator
from typing import Any

from wit_world.imports.events import Event, EventKinds
from wit_world.imports.flow import Sink


def events_of(run: Any, kinds: EventKinds) -> Iterator[Event]:
    """The events of these kinds of a run, one by one, to its end. Then `run.finish()` gives the response."""
    while events := run.next(kinds):
        yield from events


def run_changing(
    next: Any, request: Any, kinds: EventKinds, out: Sink, change: Callable[[Event], Event | None]
) -> Any:
    """Runs what is inside, and sends outward what `change` makes of each event of these kinds; None drops it.

    This changes what is read while it comes. What holds in the end is the response: where the two differ, the host
    corrects the stream with `message-replaced`. So change the response likewise, for example with `set_text`.
    """
    # Closed at once when something is raised, since a run that is dropped late goes on until then.
    with next.start(request) as run:
        while events := run.next(kinds):
            changed = [made for made in map(change, events) if made is not None]
            if changed:
                out.emit(changed)
        return run.finish()
