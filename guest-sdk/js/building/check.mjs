// Finds mistakes that bundling does not: the module is loaded here once, without a host, and looked at.
import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { bundled } from "./bundle.mjs";
import { HOOKS } from "./hooks.mjs";
import { Mistake } from "./mistake.mjs";
import { SDK } from "./tools.mjs";

/** The module loads, and has a function with the right parameters for each hook. */
export async function check(request) {
  const module = await loaded(request);
  const made = module.default;
  if (made !== undefined && !/^class\b/.test(String(made))) {
    throw new Mistake(`${at(request, /export\s+default/)}: the default export must be a class; export hooks by name otherwise`);
  }
  const owner = made ? made.prototype : module;
  const where = made ? `the class \`${made.name}\`` : "the module";
  for (const hook of request.hooks) {
    for (const [name, parameters] of Object.entries(HOOKS[hook])) {
      const wanted = `${made ? "" : "export function "}${name}(${parameters.join(", ")})`;
      if (typeof owner[name] !== "function") {
        const line = at(request, made ? /export\s+default/ : /^/);
        throw new Mistake(
          `${line}: \`hooks\` names \`${hook}\`, but ${where} has no \`${name}\`; write \`${wanted}\`,` +
            " or take the hook out of `middleware.toml`",
        );
      }
      checkFunction(at(request, new RegExp(`\\b${name}\\b\\s*[(=]`)), owner[name], name, wanted, parameters.length);
    }
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
async function loaded(request) {
  const source = JSON.stringify(path.resolve(request.source));
  const globals = JSON.stringify(path.join(SDK, "src/globals.js"));
  const entry = `import ${globals};\nimport * as author from ${source};\nexport const module = author;\n`;
  const { text, lines } = await bundled(request, entry, absentHost);
  const file = path.resolve(request.work, "module.mjs");
  writeFileSync(file, text);
  // The module finds those of the SDK, which ask the host.
  const { console, Date, performance } = globalThis;
  try {
    return (await import(pathToFileURL(file).href)).module;
  } catch (thrown) {
    const line = new RegExp(`${file.replaceAll(".", "\\.")}:(\\d+)`, "g");
    const places = [...String(thrown?.stack).matchAll(line)].map(([, number]) => lines[number - 1]);
    const place = places.find(Boolean);
    const where = place ? `${path.join(request.shown, place[0])}:${place[1]}` : `${request.source}:1`;
    throw new Mistake(`${where}: the module can't be loaded: ${thrown?.message ?? thrown}`);
  } finally {
    Object.assign(globalThis, { console, Date, performance });
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

function at(request, wanted) {
  const lines = readFileSync(request.source, "utf8").split("\n");
  return `${request.source}:${Math.max(lines.findIndex((line) => wanted.test(line)), 0) + 1}`;
}
