/** The stable code of a `ServerError`. */
export type ServerErrorCode =
  | "unsupported-platform"
  | "not-installed"
  | "not-traversable"
  | "already-running"
  | "port-in-use"
  | "start-failed";

/** An error that means that a local server could not be started. The message says why and what to do next. */
export class ServerError extends Error {
  override readonly name = "ServerError";
  readonly code: ServerErrorCode;

  constructor(code: ServerErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}
