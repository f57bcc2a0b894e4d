import { existsSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { hasProgram } from "../support/optional-programs.ts";

/** The folder of the command-line agents, if they are installed. */
export const binaries = fileURLToPath(new URL("./node_modules/.bin", import.meta.url));

export const isInstalled = hasProgram(
  existsSync(join(binaries, "claude")),
  "The command-line agents",
  "npm ci --prefix test/clients",
);
