// What a new project is begun with: a piece for each hook, which must fit alone and together.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import path from "node:path";
import { test } from "node:test";
import { bundle } from "../building/bundle.mjs";
import { check } from "../building/check.mjs";
import { HOOKS } from "../building/hooks.mjs";
import { readRequest } from "../building/request.mjs";
import { SDK } from "../building/tools.mjs";
import { asking } from "./asking.mjs";

// A new project has no state to migrate.
const BEGUN_WITH = Object.keys(HOOKS).filter((hook) => hook !== "migrate-state");

for (const language of ["js", "ts"]) {
  test(`each piece fits alone and all fit together: ${language}`, async () => {
    for (const hooks of [...BEGUN_WITH.map((hook) => [hook]), BEGUN_WITH]) {
      const piece = (name) => readFileSync(path.join(SDK, `new/${name}.${language}.txt`), "utf8");
      const whole = ["head", ...hooks, "tail"].map(piece).join("");
      const source = whole.replaceAll("{name}", "say-please").replaceAll("{Name}", "SayPlease");
      await asking(source, { hooks }, async ({ file }) => {
        const request = readRequest(file);
        await check(request);
        const { imports } = await bundle(request);
        assert.ok(!imports.some((name) => name.includes("/state@")), hooks.join());
      });
    }
  });
}
