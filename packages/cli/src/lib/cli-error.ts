import { type ExitCode, exitCode } from "./exit-code.ts";

/** An error whose message tells the user what failed and what to do next. */
export class CliError extends Error {
  override readonly name = "CliError";
  readonly exitCode: ExitCode;
  /** A short identifier, for `--json`. */
  readonly code: string;

  constructor(code: string, message: string, options: { exitCode?: ExitCode; cause?: unknown } = {}) {
    super(message, { cause: options.cause });
    this.code = code;
    this.exitCode = options.exitCode ?? exitCode.failed;
  }
}

export function usageError(message: string): CliError {
  return new CliError("usage", message, { exitCode: exitCode.usage });
}

/** The error of a command that shows a change and needs an answer, which only a terminal can give. */
export function notInteractiveError(): CliError {
  return usageError(
    "Not an interactive terminal, so nothing was changed. Review the change, then pass `--yes`.",
  );
}

export function interruptedError(): CliError {
  return new CliError("interrupted", "Interrupted.", { exitCode: exitCode.interrupted });
}

/** Whether the server may answer again soon. A live view keeps what it shows and goes on. */
export function isTemporaryError(error: unknown): error is CliError {
  return error instanceof CliError && ["no-server", "no-answer", "database-unavailable"].includes(error.code);
}

/**
 * The errors of Paraph's other packages whose messages are written for users. The command line compares names, because
 * it loads those packages only when a command needs them.
 */
export const readableErrors: readonly string[] = [
  ...["ParaphError", "ServerError", "DataFolderError", "PolicyLoadError", "DatabaseError", "VaultError"],
];
