// What the component exports: an object for each interface, which catches what the author's hook throws.
import { arrived } from "cepa-engine";
import { useChance } from "./globals.js";
import { config } from "./config.js";
import { CepaError, errorOf, recordOf } from "./error.js";
import * as log from "./log.js";
import { traceOf } from "./trace.js";

let author;
let made;

/** Takes the author's module. Called while the component is built. */
export function use(module) {
  author = module;
  useChance();
}

/** The first call of an instance makes the middleware: an object of the default class, or the module itself. */
function call(name, given) {
  made ??= author.default ? new author.default(config()) : author;
  return made[name](...given.map(arrived));
}

/** The error for what was thrown; the log has the trace of what the author did not mean to throw. */
function told(thrown) {
  const error = errorOf(thrown);
  if (error) return error;
  const what = thrown instanceof Error ? `${thrown.name}: ${thrown.message}` : String(thrown);
  log.error([what, ...traceOf(thrown)].join("\n"));
  return new CepaError("internal", what.toWellFormed());
}

/** An export that answers an error. */
const answers = (name) => (...given) => {
  try {
    return call(name, given);
  } catch (thrown) {
    throw recordOf(told(thrown));
  }
};

/** An export that has nobody to answer an error to, so it goes to the log. */
function onTurnEndObserve(turn) {
  try {
    call("onTurnEnd", [turn]);
  } catch (thrown) {
    if (errorOf(thrown)) log.error(thrown.message);
    else told(thrown);
  }
}

const EVERY_KIND = {
  text: true,
  thinking: true,
  data: true,
  hint: true,
  toolCall: true,
  toolResult: true,
  modelCall: true,
  reply: true,
  revision: true,
  other: true,
};

/** A middleware that can't say asks for every kind, so that the error is answered by `transform`. */
function kinds() {
  try {
    return call("kinds", []);
  } catch (thrown) {
    told(thrown);
    return EVERY_KIND;
  }
}

export const hooks = {
  onReply: { handle: answers("onReply") },
  onReasoning: { handle: answers("onReasoning") },
  onModelCall: { handle: answers("onModelCall") },
  onActing: { handle: answers("onActing") },
  onCompressContext: { handle: answers("onCompressContext") },
  onCheckPermission: { handle: answers("onCheckPermission") },
  onSystemPrompt: { transform: answers("onSystemPrompt") },
  onEvents: { kinds, transform: answers("onEvents") },
  onDraft: { review: answers("onDraft") },
  toolSource: { listTools: answers("listTools"), callTool: answers("callTool") },
  onTurnEnd: { observe: onTurnEndObserve },
  migrateState: { migrate: answers("migrateState") },
};
