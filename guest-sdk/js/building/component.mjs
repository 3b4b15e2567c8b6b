// Makes the component: a world with just the project's exports, and componentize-qjs.
import { cpSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { Mistake } from "./mistake.mjs";
import { SDK, tool } from "./tools.mjs";

const CONTRACT = path.join(SDK, "../../wit");
const PACKAGE = "cepa:middleware";

/** Writes the component, whole or not at all. */
export async function build(project, { script, imports }, output) {
  const { componentize } = await tool("componentize-qjs");
  const work = mkdtempSync(path.join(tmpdir(), "cepa-build-"));
  try {
    writeWorld(project, imports, path.join(work, "wit"));
    const options = { jsSource: script, witPath: path.join(work, "wit"), world: "guest" };
    const { component } = await componentize({ ...options, stubWasi: true, sync: true, optSize: true }).catch((failed) => {
      throw new Mistake(`\`componentize-qjs\` could not make the component: ${failed.message}`);
    });
    mkdirSync(path.dirname(output), { recursive: true });
    // Beside the place it goes to, so that the last step is a rename.
    const portion = path.join(path.dirname(output), `.${path.basename(output)}.new`);
    try {
      writeFileSync(portion, component);
      renameSync(portion, output);
    } finally {
      rmSync(portion, { force: true });
    }
  } finally {
    rmSync(work, { recursive: true });
  }
}

/** Imports what is used and no more, so that `cepa inspect` tells what the middleware needs granted. */
function writeWorld(project, imports, folder) {
  const [, version] = /^package cepa:middleware@([\d.]+);/m.exec(readFileSync(path.join(CONTRACT, "worlds.wit"), "utf8"));
  const exports = [...project.hooks, ...(project.schema ? ["configuration"] : [])];
  const lines = [
    ...[...new Set(imports)].map((name) => `  import ${name};\n`),
    ...exports.map((name) => `  export ${PACKAGE}/${name}@${version};\n`),
  ].join("");
  mkdirSync(path.join(folder, "deps"), { recursive: true });
  cpSync(CONTRACT, path.join(folder, "deps/middleware"), { recursive: true });
  writeFileSync(path.join(folder, "world.wit"), `package cepa:guest;\n\nworld guest {\n${lines}}\n`);
}
