import { fileURLToPath } from "node:url";

/**
 * The environment of a process that runs our sources: nothing of ours but where programs are. Most of its start would be
 * the stripping of types, again and again, so Node keeps what it has stripped; it goes by the text of each file.
 */
export const sourceEnvironment = {
  PATH: process.env.PATH ?? "",
  NODE_COMPILE_CACHE: fileURLToPath(new URL("../../../node_modules/.cache/paraph-stripped", import.meta.url)),
};
