import { CliError } from "./cli-error.ts";

/** Explains the error of a server whose port is in use. Rethrows every other error. */
export function explainPortInUse(error: NodeJS.ErrnoException & { port?: number }): never {
  if (error.code !== "EADDRINUSE") throw error;
  throw new CliError(
    "port-in-use",
    `Port ${error.port} is in use. Stop the program that uses it, or choose another port with \`--port\`.`,
    { cause: error },
  );
}
