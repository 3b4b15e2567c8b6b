// Finds mistakes that bundling does not: the module is loaded here once, without a host, and looked at.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { bundled } from "./bundle.mjs";
import { Mistake } from "./mistake.mjs";
import { HOOKS } from "./project.mjs";
import { tool } from "./tools.mjs";

/** The schema parses, the module loads, and has a function with the right parameters for each hook. */
export async function check(project) {
  if (project.schema) await checkSchema(project.schema);
  const module = await loaded(project);
  const made = module.default;
  if (made !== undefined && !/^class\b/.test(String(made))) {
    throw new Mistake(`${at(project, /export\s+default/)}: the default export must be a class; export hooks by name otherwise`);
  }
  const owner = made ? made.prototype : module;
  const where = made ? `the class \`${made.name}\`` : "the module";
  for (const hook of project.hooks) {
    for (const [name, parameters] of Object.entries(HOOKS[hook])) {
      const wanted = `${made ? "" : "export function "}${name}(${parameters.join(", ")})`;
      if (typeof owner[name] !== "function") {
        const line = at(project, made ? /export\s+default/ : /^/);
        throw new Mistake(
          `${line}: \`hooks\` names \`${hook}\`, but ${where} has no \`${name}\`; write \`${wanted}\`,` +
            " or take the hook out of `middleware.toml`",
        );
      }
      checkFunction(at(project, new RegExp(`\\b${name}\\b\\s*[(=]`)), owner[name], name, wanted, parameters.length);
    }
  }
}

async function checkSchema(file) {
  const text = readFileSync(file, "utf8");
  // Unlike the engine's own parser this one tells the line.
  const esbuild = await tool("esbuild");
  await esbuild.transform(text, { loader: "json", logLevel: "silent" }).catch(({ errors: [error] }) => {
    throw new Mistake(`${file}:${error.location.line}: this is no JSON: ${error.text.replaceAll('"', "`")}`);
  });
  if (!text.trimStart().startsWith("{")) {
    throw new Mistake(`${file}:1: this is no JSON Schema of an object; begin it with \`{\``);
  }
}

function checkFunction(where, found, name, wanted, count) {
  if (found.constructor.name === "AsyncFunction") {
    throw new Mistake(`${where}: \`${name}\` is \`async\`, which hooks are not; write \`${wanted}\``);
  }
  if (found.length > count) {
    throw new Mistake(`${where}: \`${name}\` takes other parameters than its hook gives; write \`${wanted}\``);
  }
}

/** Imports the author's module, with a host that refuses every call. */
async function loaded(project) {
  const source = JSON.stringify(path.resolve(project.source));
  const entry = `import * as author from ${source};\nexport const module = author;\n`;
  const { text, lines } = await bundled(project, entry, absentHost);
  const folder = mkdtempSync(path.join(tmpdir(), "cepa-check-"));
  const file = path.join(folder, "module.mjs");
  try {
    writeFileSync(file, text);
    return (await import(pathToFileURL(file).href)).module;
  } catch (thrown) {
    const line = new RegExp(`${file.replaceAll(".", "\\.")}:(\\d+)`, "g");
    const places = [...String(thrown?.stack).matchAll(line)].map(([, number]) => lines[number - 1]);
    const place = places.find(Boolean);
    const where = place ? `${path.join(project.folder, place[0])}:${place[1]}` : `${project.source}:1`;
    throw new Mistake(`${where}: the module can't be loaded: ${thrown?.message ?? thrown}`);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

const absentHost = {
  name: "absent-host",
  setup(build) {
    build.onResolve({ filter: /^cepa:/ }, ({ path: name }) => ({ path: name, namespace: "absent" }));
    build.onLoad({ filter: /.*/, namespace: "absent" }, ({ path: name }) => ({ contents: absent(name) }));
  },
};

/** A module whose functions and classes are there, and can't be called. */
function absent(name) {
  const [, short] = /\/(.*)@/.exec(name) ?? [];
  return `const refuse = (name) => function () {
  throw new Error("the host's \`${short}." + name + "\` is called while the module is loaded; call it in a hook");
};
export default new Proxy({}, { get: (_, name) => new Proxy(refuse(name), { get: (_, inner) => refuse(name + "." + String(inner)) }) });`;
}

function at(project, wanted) {
  const lines = readFileSync(project.source, "utf8").split("\n");
  return `${project.source}:${Math.max(lines.findIndex((line) => wanted.test(line)), 0) + 1}`;
}
