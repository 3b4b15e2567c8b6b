// What most layers do with a run of `next`.

export function* eventsOf(run, kinds) {
  for (let events; (events = run.next(kinds)).length > 0; ) yield* events;
}

export function runChanging(next, request, kinds, out, change) {
  const run = next.start(request);
  try {
    for (let events; (events = run.next(kinds)).length > 0; ) {
      const changed = events.map(change).filter((event) => event != null);
      if (changed.length > 0) out.emit(changed);
    }
    return run.finish();
  } finally {
    // When something is thrown, a run goes on until it is dropped, and a garbage collection may come late.
    run[Symbol.dispose]();
  }
}
