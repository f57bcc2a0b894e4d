import { fileURLToPath } from "node:url";

/**
 * The environment of a process that runs the sources. Besides the cache, it contains only the path to programs. Type
 * stripping would take most of the start time, so Node caches its result by the text of each file.
 */
export const sourceEnvironment = {
  PATH: process.env.PATH ?? "",
  NODE_COMPILE_CACHE: fileURLToPath(new URL("../../../node_modules/.cache/paraph-stripped", import.meta.url)),
};
