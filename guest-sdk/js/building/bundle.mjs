// Makes one script of the author's files, the SDK and the packages that they import; types are stripped.
import { readFileSync } from "node:fs";
import { SourceMap } from "node:module";
import path from "node:path";
import { Mistake } from "./mistake.mjs";
import { SDK, tool } from "./tools.mjs";

/** The script to be componentised, with the export of each hook, and the interfaces of the host that it uses. */
export async function bundle(project) {
  const names = project.hooks.map(exportOf).join(", ");
  const entry = [
    // First, since it brings what the author's module may use while it is loaded.
    `import { hooks, use } from ${JSON.stringify(path.join(SDK, "src/hooks.js"))};`,
    `import * as author from ${JSON.stringify(path.resolve(project.source))};`,
    "use(author);",
    `export const { ${names} } = hooks;`,
  ];
  if (project.schema) {
    entry.push(`export const configuration = { schema: () => ${JSON.stringify(readFileSync(project.schema, "utf8"))} };`);
  }
  const { text, lines, imports } = await bundled(project, entry.join("\n"), host);
  return { script: `${text}\nglobalThis.__cepaLines = ${JSON.stringify(lines)};\n`, imports };
}

/** Leaves the host's interfaces outside, and out where nothing uses them. */
const host = {
  name: "host",
  setup(build) {
    build.onResolve({ filter: /^cepa:/ }, ({ path }) => ({ path, external: true, sideEffects: false }));
  },
};

/** Bundles an entry of this text: the script, what it imports, and for each of its lines the author's file and line. */
export async function bundled(project, entry, host) {
  const esbuild = await tool("esbuild");
  const options = {
    stdin: { contents: entry, resolveDir: project.folder, sourcefile: "entry.js" },
    alias: { cepa: path.join(SDK, "cepa.js") },
    bundle: true,
    charset: "utf8",
    format: "esm",
    logLevel: "silent",
    outfile: "bundle.js",
    platform: "neutral",
    mainFields: ["module", "main"],
    metafile: true,
    plugins: [host],
    sourcemap: "external",
    target: "es2022",
    write: false,
  };
  const { outputFiles, metafile } = await esbuild.build(options).catch((failed) => {
    throw new Mistake(explained(failed));
  });
  const [map, script] = outputFiles;
  const imports = metafile.outputs["bundle.js"].imports.map(({ path }) => path);
  return { text: script.text, imports, lines: linesOf(project, script.text, JSON.parse(map.text)) };
}

/** `on-reply` is exported as `onReply`. */
const exportOf = (hook) => hook.replace(/-(.)/g, (_, letter) => letter.toUpperCase());

/** Nothing for a line that is not the author's. */
function linesOf(project, text, map) {
  const folder = path.resolve(project.folder);
  const table = new SourceMap(map);
  return text.split("\n").map((line, at) => {
    const entry = table.findEntry(at, line.search(/\S|$/));
    const file = entry.originalSource && path.resolve(entry.originalSource);
    if (!file?.startsWith(folder + path.sep) || entry.generatedLine !== at) return 0;
    return [path.relative(folder, file), entry.originalLine + 1];
  });
}

function explained(failed) {
  const [first] = failed.errors ?? [];
  if (!first) return failed.message;
  const where = first.location ? `${first.location.file}:${first.location.line}: ` : "";
  const lower = first.text.charAt(0).toLowerCase() + first.text.slice(1);
  const hint = first.text.startsWith("Could not resolve") ? "; install it, or correct its name" : "";
  return `${where}${lower.replaceAll('"', "`")}${hint}`;
}
