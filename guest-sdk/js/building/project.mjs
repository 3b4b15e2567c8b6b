// Reads `middleware.toml`.
import { existsSync, readFileSync, statSync } from "node:fs";
import path from "node:path";
import { Mistake } from "./mistake.mjs";
import { tool } from "./tools.mjs";

/** Each export of the contract: the functions that the author writes for it, with their parameters. */
export const HOOKS = {
  "on-reply": { onReply: ["request", "next", "out"] },
  "on-reasoning": { onReasoning: ["request", "next", "out"] },
  "on-model-call": { onModelCall: ["request", "next", "out"] },
  "on-acting": { onActing: ["request", "next", "out"] },
  "on-compress-context": { onCompressContext: ["request", "next", "out"] },
  "on-check-permission": { onCheckPermission: ["request", "next"] },
  "on-system-prompt": { onSystemPrompt: ["prompt"] },
  "on-events": { kinds: [], onEvents: ["events"] },
  "on-draft": { onDraft: ["draft"] },
  "tool-source": { listTools: [], callTool: ["request", "out"] },
  "on-turn-end": { onTurnEnd: ["turn"] },
  "migrate-state": { migrateState: ["fromConfig"] },
};

const KEYS = { name: "string", language: "string", source: "string", hooks: "list", "config-schema": "string" };
const LANGUAGES = { js: [".js", ".mjs"], ts: [".ts", ".mts"] };
const NAME = /^[a-z][a-z0-9]*(-[a-z0-9]+)*$/;

/** What is to be built: its folder, name, source, hooks, and the file of its schema where it has one. */
export async function readProject(folder) {
  const file = path.join(folder, "middleware.toml");
  if (!existsSync(file)) throw new Mistake(`${file}: there is no such file; name a folder that holds a \`middleware.toml\``);
  const text = readFileSync(file, "utf8");
  const values = await parse(file, text);
  const at = (key, what) => new Mistake(`${file}:${lineOf(text, key)}: ${what}`);

  for (const [key, value] of Object.entries(values)) {
    if (!Object.hasOwn(KEYS, key)) throw at(key, `\`${key}\` is unknown; take it away, or use one of ${list(KEYS)}`);
    if (!fits(value, KEYS[key])) throw at(key, `\`${key}\` must be ${KEYS[key] === "list" ? "a list of texts" : "a text"}`);
  }
  for (const key of ["name", "language", "source", "hooks"]) {
    if (!Object.hasOwn(values, key)) throw new Mistake(`${file}: \`${key}\` is missing; add it`);
  }
  const existing = (key) => {
    const found = path.join(folder, values[key]);
    if (existsSync(found) && statSync(found).isFile()) return found;
    throw at(key, `\`${key}\` names \`${values[key]}\`, which is no file in this folder`);
  };

  if (!NAME.test(values.name)) throw at("name", "`name` must be lower-case words joined by `-`, such as `my-layer`");
  const endings = LANGUAGES[values.language];
  if (!endings) throw at("language", `\`language\` is \`${values.language}\`, and this builds ${list(LANGUAGES)}`);
  const source = existing("source");
  if (!endings.includes(path.extname(source))) throw at("source", `\`source\` must end in ${endings.join(" or ")}`);
  checkHooks(values.hooks, at);
  const schema = values["config-schema"] === undefined ? undefined : existing("config-schema");
  return { folder, name: values.name, source, hooks: values.hooks, schema };
}

function checkHooks(hooks, at) {
  if (hooks.length === 0) throw at("hooks", `\`hooks\` is empty; name at least one of ${list(HOOKS)}`);
  for (const hook of hooks) {
    if (!Object.hasOwn(HOOKS, hook)) throw at("hooks", `there is no hook \`${hook}\`; there are ${list(HOOKS)}`);
    if (hooks.indexOf(hook) !== hooks.lastIndexOf(hook)) throw at("hooks", `\`${hook}\` stands here twice; take one away`);
  }
}

async function parse(file, text) {
  const toml = await tool("smol-toml");
  try {
    return toml.parse(text);
  } catch (error) {
    const [what] = error.message.split("\n");
    throw new Mistake(`${file}:${error.line ?? 1}: this is no TOML: ${what.replace(/^Invalid TOML document: /, "")}`);
  }
}

function fits(value, kind) {
  if (kind === "list") return Array.isArray(value) && value.every((item) => typeof item === "string");
  return typeof value === kind;
}

function lineOf(text, key) {
  const written = new RegExp(`^\\s*\\[*\\s*["']?${key.replace(/[^\w-]/g, "\\$&")}["']?\\s*[\\].=]`);
  return Math.max(text.split("\n").findIndex((line) => written.test(line)), 0) + 1;
}

const list = (names) => Object.keys(names).map((name) => `\`${name}\``).join(", ");
