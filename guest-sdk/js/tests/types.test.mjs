// What is written in TypeScript keeps to the types of the SDK.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { test } from "node:test";
import { SDK } from "../building/tools.mjs";
import "./asking.mjs";
import { BEGUN_WITH, begun } from "./begun.mjs";

const EXAMPLES = path.join(SDK, "../../examples/languages/ts");

function checked(folder) {
  const tsc = path.join(process.env.CEPA_NODE_MODULES, ".bin/tsc");
  const { status, stdout } = spawnSync(tsc, ["--noEmit", "-p", folder], { encoding: "utf8" });
  assert.equal(status, 0, stdout);
}

test("the examples", () => checked(EXAMPLES));

test("what a new project is begun with, alone and together", () => {
  const folder = mkdtempSync(path.join(tmpdir(), "cepa-test-"));
  try {
    for (const hooks of BEGUN_WITH) writeFileSync(path.join(folder, `${hooks.length}-${hooks[0]}.ts`), begun("ts", hooks));
    const { compilerOptions } = JSON.parse(readFileSync(path.join(EXAMPLES, "tsconfig.json"), "utf8"));
    compilerOptions.paths = { cepa: [path.join(SDK, "cepa.d.ts")] };
    const include = [path.join(SDK, "globals.d.ts"), "*.ts"];
    writeFileSync(path.join(folder, "tsconfig.json"), JSON.stringify({ compilerOptions, include }));
    checked(folder);
  } finally {
    rmSync(folder, { recursive: true });
  }
});
