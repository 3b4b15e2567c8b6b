import log from "cepa:middleware/log@0.1.0";

export const onModelCall = {
  handle(request, next, out) {
    const edited = request.clone();
    edit(edited);
    const run = next.start(edited);
    log.write("info", "rewrite: started a run");
    try {
      const text = forward(run, out);
      const response = run.finish();
      response.setContent([{ tag: "text", val: text }]);
      return response;
    } finally {
      // The garbage collector may come late; a run is cancelled or closed when it is dropped.
      run[Symbol.dispose]();
    }
  },
};

function edit(request) {
  request.setSystemPrompt((request.systemPrompt() ?? "") + " (seen by js)");
  const content = [{ tag: "text", val: "from js" }];
  request.pushMessage({ id: "", role: "user", name: null, content, metadata: "" });
  request.setParameter("temperature", "0.5");
  expect("invalid-input", () => request.setParameter("seed", "{broken"));
  expect("invalid-input", () => request.message(9999));
}

// Sends the text on in upper case and gives all of it.
function forward(run, out) {
  let text = "";
  for (let events; (events = run.next({ text: true })).length > 0; ) {
    for (const event of events) {
      if (event.tag !== "text-delta") continue;
      event.val.text = event.val.text.toUpperCase();
      text += event.val.text;
    }
    out.emit(events);
  }
  return text;
}

function expect(kind, call) {
  try {
    call();
  } catch (refused) {
    if (refused.payload?.kind === kind) return;
  }
  throw {
    kind: "rejected",
    code: "guest-check",
    message: `no ${kind}`,
    retryable: false,
    retryAfterMs: null,
    status: null,
  };
}
