import { fileURLToPath } from "node:url";

/** With PARAPH_TEST_BUILT, processes run the packages that `npm run build` made, which start faster. CI sets it. */
export const runsBuild = process.env.PARAPH_TEST_BUILT !== undefined;
/** The options of Node for a process that runs the sources. */
export const sourceFlags = ["--conditions=paraph-source", "--no-warnings"];
/** The options of Node for a process that runs the packages. */
export const nodeFlags = runsBuild ? ["--no-warnings"] : sourceFlags;

/**
 * The environment of a process that runs the packages. Besides the cache, it contains only the path to programs. Type
 * stripping would take most of the start time, so Node caches its result by the text of each file.
 */
export const sourceEnvironment = {
  PATH: process.env.PATH ?? "",
  NODE_COMPILE_CACHE: fileURLToPath(new URL("../../../node_modules/.cache/paraph-stripped", import.meta.url)),
};
