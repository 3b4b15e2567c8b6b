// Where something was thrown, in the author's files: the engine knows the lines of the bundle alone.
import { FRAME } from "cepa-engine";

/**
 * The frames of an error, innermost first. `globalThis.__cepaLines` has for each line of the bundle `[file, line]`, and
 * nothing for the SDK's own; the build appends it.
 */
export function traceOf(thrown) {
  const { cause } = thrown ?? {};
  return [...framesOf(thrown), ...(cause === undefined ? [] : [`because of ${cause}`, ...framesOf(cause)])];
}

function framesOf(thrown) {
  const lines = globalThis.__cepaLines ?? [];
  const frames = String(thrown?.stack ?? "").split("\n");
  return frames.flatMap((frame) => {
    const { name, line } = FRAME.exec(frame)?.groups ?? {};
    const place = lines[line - 1];
    return place ? [`  at ${place[0]}:${place[1]}, in ${name || "<anonymous>"}`] : [];
  });
}
