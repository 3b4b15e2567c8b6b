// The engines that a component may have inside, each with the tool that puts it there. Neither leaves an import of WASI.
import path from "node:path";
import { SDK, tool } from "./tools.mjs";

const ENGINES = {
  quickjs: {
    tool: "componentize-qjs",
    async componentize(jsSource, witPath) {
      const { componentize } = await tool("componentize-qjs");
      const options = { jsSource, witPath, world: "guest", stubWasi: true, sync: true, optSize: true };
      return (await componentize(options)).component;
    },
    host: { name: "host", setup: leaveOutside },
  },
  starlingmonkey: {
    tool: "componentize-js",
    async componentize(source, witPath) {
      const { componentize } = await tool("@bytecodealliance/componentize-js/src/componentize.js");
      const disableFeatures = ["clocks", "fetch-event", "http", "random", "stdio"];
      return (await componentize(source, { witPath, worldName: "guest", disableFeatures })).component;
    },
    host: { name: "host", setup: wrap },
  },
};

/** The engine that the manifest asks for. */
export const engineOf = ({ engine }) => ENGINES[engine ?? "quickjs"];

/** The SDK's file of what it has to do on this engine. */
export const runtimeOf = ({ engine }) => path.join(SDK, `src/engines/${engine ?? "quickjs"}.js`);

/** Leaves the host's interfaces outside, and out where nothing uses them. */
function leaveOutside(build) {
  build.onResolve({ filter: /^cepa:/ }, ({ path }) => ({ path, external: true, sideEffects: false }));
}

/** Puts between the script and each interface of the host what makes this engine like the other. */
function wrap(build) {
  build.onResolve({ filter: /^cepa:/ }, ({ path, namespace }) =>
    namespace === "host" ? { path, external: true } : { path, namespace: "host", sideEffects: false },
  );
  build.onLoad({ filter: /.*/, namespace: "host" }, ({ path }) => ({
    contents: `import * as host from "${path}";
import { adopted } from "cepa-engine";
export default /* @__PURE__ */ adopted(host);`,
    resolveDir: SDK,
  }));
}
