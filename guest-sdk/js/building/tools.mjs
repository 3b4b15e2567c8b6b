// The packages that the build needs: beside the SDK, or where this project's scripts keep their tools.
import { createRequire } from "node:module";
import { homedir } from "node:os";
import path from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { Mistake } from "./mistake.mjs";

export const SDK = path.dirname(path.dirname(fileURLToPath(import.meta.url)));

/** Loads one of them. */
export async function tool(name) {
  const parts = process.env.CEPA_PARTS || path.join(homedir(), ".cache/cepa-parts");
  const places = [SDK, path.join(parts, "languages/js")].map((place) => path.join(place, "package.json"));
  for (const place of places) {
    const found = attempt(() => createRequire(place).resolve(name));
    if (found) return import(pathToFileURL(found).href);
  }
  throw new Mistake(`\`${name}\` is missing; \`npm install --prefix ${SDK}\` brings it`);
}

function attempt(resolve) {
  try {
    return resolve();
  } catch {
    return undefined;
  }
}
