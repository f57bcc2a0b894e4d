/** The stable code of a `ServerError`. */
export type ServerErrorCode =
  | "unsupported-platform"
  | "not-installed"
  | "not-traversable"
  | "already-running"
  | "port-in-use"
  | "start-failed";

/** An error that reports that a local server could not start. The message states the reason and the next step. */
export class ServerError extends Error {
  override readonly name = "ServerError";
  readonly code: ServerErrorCode;

  constructor(code: ServerErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}
