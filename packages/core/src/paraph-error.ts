/** One error class; the code says which, the message says what happened and what to do next. */
export class ParaphError extends Error {
  readonly code: ParaphErrorCode;

  constructor(code: ParaphErrorCode, message: string) {
    super(message);
    this.name = "ParaphError";
    this.code = code;
  }
}

export type ParaphErrorCode =
  | "not-json"
  | "capability-invalid"
  | "capability-twice"
  | "capability-unknown"
  | "duration-invalid"
  | "input-invalid"
  | "key-reused"
  | "call-unknown"
  | "approval-unknown"
  | "approval-closed"
  | "approval-changed"
  | "approver-not-allowed"
  | "receipt-invalid";
