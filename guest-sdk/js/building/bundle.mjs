// Makes one script of the author's files, the SDK and the packages that they import; types are stripped.
import { readFileSync } from "node:fs";
import { SourceMap } from "node:module";
import path from "node:path";
import { engineOf, runtimeOf } from "./engines.mjs";
import { Mistake } from "./mistake.mjs";
import { SDK, tool } from "./tools.mjs";

/** The script to be componentised, with the export of each hook, and the interfaces of the host that it uses. */
export async function bundle(request) {
  const names = request.hooks.map(exportOf).join(", ");
  const entry = [
    // First, since it brings what the author's module may use while it is loaded.
    `import { hooks, use } from ${JSON.stringify(path.join(SDK, "src/hooks.js"))};`,
    `import * as author from ${JSON.stringify(path.resolve(request.source))};`,
    "use(author);",
    `export const { ${names} } = hooks;`,
  ];
  if (request.schema) {
    entry.push(`export const configuration = { schema: () => ${JSON.stringify(readFileSync(request.schema, "utf8"))} };`);
  }
  const { text, lines, imports } = await bundled(request, entry.join("\n"), engineOf(request).host);
  return { script: `${text}\nglobalThis.__cepaLines = ${JSON.stringify(lines)};\n`, imports };
}

/** Bundles an entry of this text: the script, what it imports, and for each of its lines the author's file and line. */
export async function bundled(request, entry, host) {
  const esbuild = await tool("esbuild");
  const options = {
    stdin: { contents: entry, resolveDir: request.folder, sourcefile: "entry.js" },
    alias: { cepa: path.join(SDK, "cepa.js"), "cepa-engine": runtimeOf(request) },
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
    throw new Mistake(explained(request, failed));
  });
  const [map, script] = outputFiles;
  const imports = metafile.outputs["bundle.js"].imports.map(({ path }) => path);
  return { text: script.text, imports, lines: linesOf(request, script.text, JSON.parse(map.text)) };
}

/** `on-reply` is exported as `onReply`. */
const exportOf = (hook) => hook.replace(/-(.)/g, (_, letter) => letter.toUpperCase());

/** For each line of the bundle the author's file and line, and 0 for one that is not the author's. */
function linesOf(request, text, map) {
  const table = new SourceMap(map);
  return text.split("\n").map((line, at) => {
    const entry = table.findEntry(at, line.search(/\S|$/));
    const file = entry.originalSource && path.resolve(entry.originalSource);
    if (!file?.startsWith(request.folder + path.sep) || entry.generatedLine !== at) return 0;
    return [path.relative(request.folder, file), entry.originalLine + 1];
  });
}

/** A file of the author's as the author wrote the folder. */
function shownFile(request, file) {
  const whole = path.resolve(file);
  return whole.startsWith(request.folder + path.sep) ? path.join(request.shown, path.relative(request.folder, whole)) : whole;
}

function explained(request, failed) {
  const [first] = failed.errors ?? [];
  if (!first) return failed.message;
  const where = first.location ? `${shownFile(request, first.location.file)}:${first.location.line}: ` : "";
  const lower = first.text.charAt(0).toLowerCase() + first.text.slice(1);
  const hint = first.text.startsWith("Could not resolve") ? "; install it, or correct its name" : "";
  return `${where}${lower.replaceAll('"', "`")}${hint}`;
}
