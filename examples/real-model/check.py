"""Reads the JSON lines of a reply, shows its text as it comes, and fails unless the reply was as it should be.

usage: cepa --json run … | check.py streamed    several pieces of text, and a model call with its tokens
       cepa --json run … | check.py TOOL        the same, tokens aside, and a call of this tool that succeeded
"""

import json
import sys


def read(lines):
    events = []
    for line in lines:
        event = json.loads(line)
        events.append(event)
        if event["type"] in ("text-delta", "tool-result-text"):
            print(event["text"], end="", flush=True)
        elif event["type"] == "tool-call-start":
            print(f"{event['name']}: ", end="")
        elif event["type"] in ("text-end", "tool-result-end"):
            print()
    return events


def problems(events, wanted):
    def of(kind):
        return [event for event in events if event["type"] == kind]

    pieces = [event["text"] for event in of("text-delta")]
    if len(pieces) < 2:
        yield f"the answer came in {len(pieces)} pieces"
    if not of("result") or of("result")[-1]["outcome"] != "replied":
        yield "the reply did not come to an answer"
    elif of("result")[-1]["text"] != "".join(pieces):
        yield "the text of the result is not what was streamed"
    if wanted == "streamed":
        usages = [event["usage"] or {} for event in of("model-call-end")]
        if not any(usage.get("input-tokens") and usage.get("output-tokens") for usage in usages):
            yield f"no model call told its tokens: {usages}"
    else:
        calls = [event["call-id"] for event in of("tool-call-start") if event["name"] == wanted]
        ends = {event["call-id"]: event["state"] for event in of("tool-result-end")}
        if not any(ends.get(call) == "success" for call in calls):
            yield f"no call of `{wanted}` succeeded: {ends}"


def main():
    events = read(sys.stdin)
    found = list(problems(events, sys.argv[1]))
    for problem in found:
        print(f"error: {problem}", file=sys.stderr)
    if found:
        sys.exit(1)
    print(f"ok: {len(events)} events, as expected")


main()
