// What a new project is begun with: a piece for each hook between a head and a tail.
import { readFileSync } from "node:fs";
import path from "node:path";
import { HOOKS } from "../building/hooks.mjs";
import { SDK } from "../building/tools.mjs";

// A new project has no state to migrate.
const hooks = Object.keys(HOOKS).filter((hook) => hook !== "migrate-state");

/** Each hook alone, and all together. */
export const BEGUN_WITH = [...hooks.map((hook) => [hook]), hooks];

/** The source of a new project with these hooks. */
export function begun(language, hooks) {
  const piece = (name) => readFileSync(path.join(SDK, `new/${name}.${language}.txt`), "utf8");
  const whole = ["head", ...hooks, "tail"].map(piece).join("");
  return whole.replaceAll("{name}", "say-please").replaceAll("{Name}", "SayPlease");
}
