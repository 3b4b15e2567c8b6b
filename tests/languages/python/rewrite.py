from componentize_py_types import Err
from wit_world.imports import log
from wit_world.imports.events import Event_TextDelta, EventKinds, TextDelta
from wit_world.imports.types import ContentBlock_Text, Error, ErrorKind, Message, Role


class OnModelCall:
    def handle(self, request, next, out):
        # A caught error keeps the frames it went through, and their handles, until a garbage collection.
        with request, next, out:
            # No `with` for this one: a handle that was given away can't be closed.
            edited = request.clone()
            edit(edited)
            run = next.start(edited)
            log.write(log.Level.INFO, "rewrite: started a run")
            with run:
                text = forward(run, out)
                response = run.finish()
            response.set_content([ContentBlock_Text(text)])
            return response


def edit(request):
    request.set_system_prompt((request.system_prompt() or "") + " (seen by python)")
    content = [ContentBlock_Text("from python")]
    request.push_message(Message("", Role.USER, None, content, ""))
    request.set_parameter("temperature", "0.5")
    expect(ErrorKind.INVALID_INPUT, lambda: request.set_parameter("seed", "{broken"))
    expect(ErrorKind.INVALID_INPUT, lambda: request.message(9999))


def forward(run, out):
    """Sends the text on in upper case and gives all of it."""
    text = ""
    while events := run.next(EventKinds.TEXT):
        for event in events:
            if isinstance(event, Event_TextDelta):
                event.value = TextDelta(event.value.id, event.value.text.upper())
                text += event.value.text
        out.emit(events)
    return text


def expect(kind, call):
    try:
        call()
    except Err as refused:
        if refused.value.kind == kind:
            return
    raise Err(Error(ErrorKind.REJECTED, "guest-check", f"no {kind.name}", False, None, None))
