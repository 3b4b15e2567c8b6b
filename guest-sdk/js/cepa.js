// Writes Cepa middlewares in JavaScript and TypeScript: everything that a middleware imports.

export { default as agents } from "cepa:middleware/agents@0.1.0";
export { default as clock } from "cepa:middleware/clock@0.1.0";
export { default as context } from "cepa:middleware/context@0.1.0";
export { default as conversation } from "cepa:middleware/conversation@0.1.0";
export { default as index } from "cepa:middleware/index@0.1.0";
export { default as models } from "cepa:middleware/models@0.1.0";
export { default as telemetry } from "cepa:middleware/telemetry@0.1.0";
export { default as tools } from "cepa:middleware/tools@0.1.0";
export { default as workspace } from "cepa:middleware/workspace@0.1.0";

import requests from "cepa:middleware/requests@0.1.0";

export const { CompressResponse, ModelRequest, ModelResponse, ReasoningResponse, ReplyResponse, ToolResponse } = requests;

export { config } from "./src/config.js";
export { CepaError, errorOf } from "./src/error.js";
export * as http from "./src/http.js";
export * as log from "./src/log.js";
export { assistant, resultOf, setText, textOf, toolCallsOf, user } from "./src/message.js";
export * as random from "./src/random.js";
export { eventsOf, runChanging } from "./src/run.js";
export * as state from "./src/state.js";
