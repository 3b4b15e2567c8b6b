// Takes a text out of what is read, also where it comes in pieces, and out of the final answer.
import type { ContentBlock, Event, EventKinds, OnReply, ReplyNext, ReplyRequest, ReplyResponse, Sink } from "cepa";

const REDACTED = "[redacted]";
// `message-replaced` brings a whole message, with what was taken out of its pieces.
const KINDS: EventKinds = { text: true, revision: true };

interface Config {
  pattern: string;
}

export default class Redact implements OnReply {
  private readonly pattern: string;

  constructor(config: Config) {
    this.pattern = config.pattern;
  }

  onReply(request: ReplyRequest, next: ReplyNext, out: Sink): ReplyResponse {
    const held = new Map<string, string>();
    const run = next.start(request);
    try {
      for (let events: Event[]; (events = run.next(KINDS)).length > 0; ) {
        out.emit(events.flatMap((event) => this.changed(event, held)));
      }
      const response = run.finish();
      const message = response.message();
      if (message) response.setContent(this.without(message.content));
      return response;
    } finally {
      run[Symbol.dispose]();
    }
  }

  // What goes out for an event; `held` has the text of each block that may be the start of a match.
  private changed(event: Event, held: Map<string, string>): Event[] {
    switch (event.tag) {
      case "text-delta": {
        const { id, text } = event.val;
        const [free, rest] = this.split((held.get(id) ?? "") + text);
        held.set(id, rest);
        return free ? [delta(id, free)] : [];
      }
      case "text-end": {
        const rest = held.get(event.val);
        held.delete(event.val);
        return rest ? [delta(event.val, rest), event] : [event];
      }
      case "message-replaced":
        event.val.content = this.without(event.val.content);
    }
    return [event];
  }

  // The text without matches, and its end as far as a match may begin there.
  private split(text: string): [free: string, held: string] {
    const parts = text.split(this.pattern);
    const rest = parts.pop() ?? "";
    let held = Math.min(this.pattern.length - 1, rest.length);
    while (held > 0 && !this.pattern.startsWith(rest.slice(-held))) held--;
    const end = rest.length - held;
    return [[...parts, rest.slice(0, end)].join(REDACTED), rest.slice(end)];
  }

  private without(content: ContentBlock[]): ContentBlock[] {
    for (const block of content) {
      if (block.tag === "text") block.val = block.val.replaceAll(this.pattern, () => REDACTED);
    }
    return content;
  }
}

function delta(id: string, text: string): Event {
  return { tag: "text-delta", val: { id, text } };
}
