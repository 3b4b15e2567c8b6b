// What `cepa build` asks for. It has read and checked the project's `middleware.toml`.
import { readFileSync } from "node:fs";
import path from "node:path";

/**
 * The `source` with its `hooks`, the file of its `schema` or null, and the `engine`; the `contract`'s folder with its
 * `package` and `version`; an empty folder to `work` in, and the file of the `output`.
 */
export function readRequest(file) {
  const request = JSON.parse(readFileSync(file, "utf8"));
  return { ...request, folder: path.resolve(request.folder), shown: request.folder };
}
