// The SDK's own folder, and the packages that the build needs.
import { createRequire } from "node:module";
import path from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

export const SDK = path.dirname(path.dirname(fileURLToPath(import.meta.url)));

/** Loads a file of a package from the folder that `cepa build` found, by default the file that the package names. */
export function tool(name) {
  const packages = path.resolve(process.env.CEPA_NODE_MODULES);
  return import(pathToFileURL(createRequire(path.join(packages, "package.json")).resolve(path.join(packages, name))).href);
}
