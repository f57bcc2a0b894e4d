export type ServerErrorCode =
  | "unsupported-platform"
  | "not-installed"
  | "not-traversable"
  | "already-running"
  | "port-in-use"
  | "data-foreign"
  | "start-failed";

/** A server of this folder could not be started; the message says why and what to do next. */
export class ServerError extends Error {
  override readonly name = "ServerError";
  readonly code: ServerErrorCode;

  constructor(code: ServerErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}
