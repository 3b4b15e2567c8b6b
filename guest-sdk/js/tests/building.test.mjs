// What the build makes and says: `node --test guest-sdk/js/tests/`.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import path from "node:path";
import { test } from "node:test";
import { bundle } from "../building/bundle.mjs";
import { readRequest } from "../building/request.mjs";
import { SDK } from "../building/tools.mjs";
import { asking } from "./asking.mjs";

const GOOD = "export function onSystemPrompt(prompt: string) {\n  return prompt;\n}\n";

/** How the build ends, what it says, and whether there is a component. */
function built(source, given = {}) {
  return asking(source, given, ({ file, folder, output }) => {
    const { status, stdout, stderr } = spawnSync(process.execPath, [path.join(SDK, "build"), file], { encoding: "utf8" });
    assert.equal(stdout, "");
    return { status, said: stderr.replaceAll(`${folder}/`, ""), made: existsSync(output) };
  });
}

test("a source without mistakes becomes a component", async () => {
  assert.deepEqual(await built(GOOD), { status: 0, said: "", made: true });
});

test("a source with a mistake is refused with its line", async () => {
  for (const [source, expected] of [
    ["\nexport function onSystemPrompt(: {}\n", "polite.ts:2: "],
    ["export const x = 1;\n", "polite.ts:1: `hooks` names `on-system-prompt`, but the module has no `onSystemPrompt`"],
    ["\nexport default class A {}\n", "polite.ts:2: `hooks` names `on-system-prompt`, but the class `A`"],
    [`\n${GOOD.replace("function", "async function")}`, "polite.ts:2: `onSystemPrompt` is `async`"],
    [`\n${GOOD.replace("string)", "string, more: string)")}`, "polite.ts:2: `onSystemPrompt` takes other parameters"],
    [`import "nothing-like-it";\n${GOOD}`, "polite.ts:1: could not resolve `nothing-like-it`"],
    [`interface A {\n  b: string;\n}\nnull.x;\n${GOOD}`, "polite.ts:4: the module can't be loaded"],
    [`import { clock } from "cepa";\nclock.nowMs();\n${GOOD}`, "polite.ts:2: the module can't be loaded: the host's `clock.nowMs`"],
    [`\nconsole.log("hello");\n${GOOD}`, "polite.ts:2: the module can't be loaded: the host's `log.write`"],
    [`\nDate.now();\n${GOOD}`, "polite.ts:2: the module can't be loaded: the host's `clock.nowMs`"],
  ]) {
    const { status, said, made } = await built(source);
    assert.deepEqual([status, said.slice(0, expected.length), made], [1, expected, false]);
  }
});

test("what is no mistake of the author has a trace", async () => {
  const { status, said } = await built(GOOD, { hooks: null });
  assert.equal(status, 2);
  assert.match(said, /^TypeError: .*\n +at /);
});

test("a component imports what its middleware uses, on each engine", async () => {
  for (const engine of ["quickjs", "starlingmonkey"]) {
    const imports = (source) =>
      asking(source, { engine }, async ({ file }) => {
        const made = await bundle(readRequest(file));
        return new Set(made.imports.map((name) => /\/(.*)@/.exec(name)[1]));
      });
    assert.deepEqual(await imports(GOOD), new Set(["clock", "context", "log", "random"]));
    const used = await imports(`import * as cepa from "cepa";\ncepa.state.get("layer", "x");\n${GOOD}`);
    assert.ok(used.has("state") && !used.has("http"), [...used].join());
  }
});
