// A project with one source, and what `cepa build` would ask for it.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { SDK } from "../building/tools.mjs";

// Where `npm install` puts the packages, unless another place is said.
process.env.CEPA_NODE_MODULES ||= path.join(SDK, "node_modules");

/** Gives `use` the request's file and the folders of the project and of everything; all is gone behind it. */
export async function asking(source, given, use) {
  const whole = mkdtempSync(path.join(tmpdir(), "cepa-test-"));
  const [folder, work] = ["project", "work"].map((name) => path.join(whole, name));
  const file = path.join(whole, "request.json");
  const request = {
    name: "polite",
    folder,
    source: path.join(folder, "polite.ts"),
    hooks: ["on-system-prompt"],
    schema: null,
    engine: null,
    contract: path.join(SDK, "../../wit"),
    package: "cepa:middleware",
    version: "0.1.0",
    work,
    output: path.join(whole, "made.wasm"),
    ...given,
  };
  try {
    mkdirSync(folder);
    mkdirSync(work);
    writeFileSync(request.source, source);
    writeFileSync(file, JSON.stringify(request));
    return await use({ file, folder, output: request.output });
  } finally {
    rmSync(whole, { recursive: true });
  }
}
