// What a new project is begun with must fit, each piece alone and all together.
import assert from "node:assert/strict";
import { test } from "node:test";
import { bundle } from "../building/bundle.mjs";
import { check } from "../building/check.mjs";
import { readRequest } from "../building/request.mjs";
import { asking } from "./asking.mjs";
import { BEGUN_WITH, begun } from "./begun.mjs";

for (const language of ["js", "ts"]) {
  test(`each piece fits alone and all fit together: ${language}`, async () => {
    for (const hooks of BEGUN_WITH) {
      await asking(begun(language, hooks), { hooks }, async ({ file }) => {
        const request = readRequest(file);
        await check(request);
        const { imports } = await bundle(request);
        assert.ok(!imports.some((name) => name.includes("/state@")), hooks.join());
      });
    }
  });
}
