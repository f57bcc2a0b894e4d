import { createRequire } from "node:module";
import { arch, platform } from "node:os";
import { ServerError } from "./server-error.ts";

/** The version that Paraph is tested with. */
const restateVersion = "1.7.12";
const supportedTargets = ["linux-x64", "linux-arm64", "darwin-x64", "darwin-arm64"];

/** Returns the path of the `restate-server` program that npm installed for this platform. */
export function findRestateBinary(): string {
  const target = `${platform()}-${arch()}`;
  if (!supportedTargets.includes(target)) {
    throw new ServerError(
      "unsupported-platform",
      `Paraph cannot start Restate on ${target}. Restate is available from npm for ${supportedTargets.join(", ")}. On Windows, use WSL.`,
    );
  }
  const name = `@restatedev/restate-server-${target}`;
  try {
    // Paraph depends on the platform packages directly, because `@restatedev/restate-server` has an install script with
    // telemetry.
    return createRequire(import.meta.url).resolve(`${name}/bin/restate-server`);
  } catch (error) {
    throw new ServerError(
      "not-installed",
      `Restate is not installed. Run \`npm install --save-dev ${name}@${restateVersion}\`.`,
      { cause: error },
    );
  }
}
