import { existsSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

/** Where the command-line agents are, once they are installed. */
export const binaries = fileURLToPath(new URL("./node_modules/.bin", import.meta.url));

export const isInstalled = existsSync(join(binaries, "claude"));
if (!isInstalled) {
  console.warn(
    "The command-line agents are not installed: run `npm ci --prefix test/clients` to test with them.",
  );
}
