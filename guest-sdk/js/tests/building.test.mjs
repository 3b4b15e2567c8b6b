// What the build says of a project with a mistake: `node --test guest-sdk/js/tests/`.
import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { test } from "node:test";
import { bundle } from "../building/bundle.mjs";
import { check } from "../building/check.mjs";
import { Mistake } from "../building/mistake.mjs";
import { readProject } from "../building/project.mjs";

const MANIFEST = 'name = "polite"\nlanguage = "ts"\nsource = "polite.ts"\nhooks = ["on-system-prompt"]\n';
const GOOD = "export function onSystemPrompt(prompt: string) {\n  return prompt;\n}\n";

async function within(source, manifest, use) {
  const folder = mkdtempSync(path.join(tmpdir(), "cepa-test-"));
  try {
    writeFileSync(path.join(folder, "middleware.toml"), manifest);
    writeFileSync(path.join(folder, "polite.ts"), source);
    writeFileSync(path.join(folder, "broken.json"), '{\n"a": ,\n}\n');
    writeFileSync(path.join(folder, "list.json"), "[]");
    return await use(folder);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** Where and what the mistake is. */
function said(source, manifest = MANIFEST) {
  return within(source, manifest, async (folder) => {
    const mistake = await readProject(folder).then(check).then(() => assert.fail("it passed"), (thrown) => thrown);
    assert.ok(mistake instanceof Mistake, mistake.stack);
    return mistake.message.slice(mistake.message.indexOf(path.basename(folder)) + path.basename(folder).length + 1);
  });
}

test("a manifest with a mistake is refused with its line", async () => {
  for (const [old, fresh, expected] of [
    ["hooks", "hook", "middleware.toml:4: `hook` is unknown"],
    ['"on-system-prompt"', '"on-prompt"', "middleware.toml:4: there is no hook `on-prompt`"],
    ['"on-system-prompt"', "", "middleware.toml:4: `hooks` is empty"],
    ['"ts"', '"python"', "middleware.toml:2: `language` is `python`"],
    ['"polite.ts"', '"other.ts"', "middleware.toml:3: `source` names `other.ts`, which is no file"],
    ['"ts"', "1", "middleware.toml:2: `language` must be a text"],
    ["name =", "name", "middleware.toml:1: this is no TOML"],
  ]) {
    const found = await said(GOOD, MANIFEST.replace(old, fresh));
    assert.ok(found.startsWith(expected), found);
  }
});

test("a schema with a mistake is refused with its line", async () => {
  for (const [file, expected] of [
    ["broken.json", "broken.json:2: this is no JSON"],
    ["list.json", "list.json:1: this is no JSON Schema"],
  ]) {
    const found = await said(GOOD, `${MANIFEST}config-schema = "${file}"\n`);
    assert.ok(found.startsWith(expected), found);
  }
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
  ]) {
    const found = await said(source);
    assert.ok(found.startsWith(expected), found);
  }
});

test("a component imports what its middleware uses", async () => {
  const imports = (source) =>
    within(source, MANIFEST, async (folder) => {
      const made = await bundle(await readProject(folder));
      return new Set(made.imports.map((name) => /\/(.*)@/.exec(name)[1]));
    });
  assert.deepEqual(await imports(GOOD), new Set(["log", "context"]));
  const used = await imports(`import { state } from "cepa";\nstate.get("layer", "x");\n${GOOD}`);
  assert.ok(used.has("state") && !used.has("http"), [...used].join());
});
