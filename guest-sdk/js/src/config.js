// The layer's configuration.
import context from "cepa:middleware/context@0.1.0";

export function config(defaults = {}) {
  return { ...defaults, ...JSON.parse(context.config()) };
}
