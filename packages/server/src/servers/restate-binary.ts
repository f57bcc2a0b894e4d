import { createRequire } from "node:module";
import { arch, platform } from "node:os";
import { ServerError } from "./server-error.ts";

const SUPPORTED = ["linux-x64", "linux-arm64", "darwin-x64", "darwin-arm64"];

/** The `restate-server` program that npm installed for this platform. */
export function restateBinary(): string {
  const target = `${platform()}-${arch()}`;
  if (!SUPPORTED.includes(target)) {
    throw new ServerError(
      "unsupported-platform",
      `Restate cannot be started on ${target}: npm has it for ${SUPPORTED.join(", ")}. On Windows use WSL.`,
    );
  }
  const name = `@restatedev/restate-server-${target}`;
  try {
    // The package belongs to @restatedev/restate-server, and only from there is it sure to be found.
    const from = createRequire(import.meta.url).resolve("@restatedev/restate-server/package.json");
    return createRequire(from).resolve(`${name}/bin/restate-server`);
  } catch (error) {
    throw new ServerError(
      "not-installed",
      `\`${name}\` is not installed. Run \`npm install\` without \`--omit=optional\`.`,
      { cause: error },
    );
  }
}
