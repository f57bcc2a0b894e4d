import { CliError } from "../../lib/cli-error.ts";

const packageName = "@paraph/dev-servers";

/** Loads the package that starts the local servers. A production install does not have it. */
export async function loadDevServers(): Promise<typeof import("@paraph/dev-servers/local")> {
  try {
    return await import("@paraph/dev-servers/local");
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code !== "ERR_MODULE_NOT_FOUND" || !message.includes(`'${packageName}'`)) throw error;
    throw new CliError(
      "dev-servers-missing",
      `\`paraph dev\` and \`paraph demo\` need the package \`${packageName}\`, which is not installed. Run \`npm install --save-dev ${packageName}\`.`,
      { cause: error },
    );
  }
}
