// Makes the component: a world with just the middleware's exports, and the tool of the engine.
import { cpSync, mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { engineOf } from "./engines.mjs";
import { Mistake } from "./mistake.mjs";

/** Writes the component. */
export async function build(request, { script, imports }) {
  const { tool, componentize } = engineOf(request);
  const folder = path.join(request.work, "wit");
  writeWorld(request, imports, folder);
  const component = await componentize(script, folder).catch((failed) => {
    throw new Mistake(`\`${tool}\` could not make the component: ${failed.message}`);
  });
  writeFileSync(request.output, component);
}

/** Imports what is used and no more, so that `cepa inspect` tells what the middleware needs granted. */
function writeWorld(request, imports, folder) {
  const exports = [...request.hooks, ...(request.schema ? ["configuration"] : [])];
  const lines = [
    ...[...new Set(imports)].map((name) => `  import ${name};\n`),
    ...exports.map((name) => `  export ${request.package}/${name}@${request.version};\n`),
  ].join("");
  mkdirSync(path.join(folder, "deps"), { recursive: true });
  cpSync(request.contract, path.join(folder, "deps/middleware"), { recursive: true });
  writeFileSync(path.join(folder, "world.wit"), `package cepa:guest;\n\nworld guest {\n${lines}}\n`);
}
