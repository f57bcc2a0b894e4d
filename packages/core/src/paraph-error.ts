/** One error class; the code says which, the message says what happened and what to do next. */
export class ParaphError extends Error {
  readonly code: ParaphErrorCode;
  /** When it is worth trying again, where that can be told: milliseconds since 1970. */
  readonly retryAt: number | undefined;
  /** Which limit, where one was reached. */
  readonly limit: string | undefined;

  constructor(code: ParaphErrorCode, message: string, retryAt?: number, limit?: string) {
    super(message);
    this.name = "ParaphError";
    this.code = code;
    this.retryAt = retryAt;
    this.limit = limit;
  }
}

export type ParaphErrorCode =
  | "not-json"
  | "adapter-as-root"
  | "adapter-invalid"
  | "adapter-slow"
  | "config-invalid"
  | "capability-unavailable"
  | "capability-invalid"
  | "capability-twice"
  | "capability-unknown"
  | "duration-invalid"
  | "input-invalid"
  | "key-reused"
  | "key-reserved"
  | "frozen"
  | "limit-reached"
  | "policy-unsettled"
  | "call-unknown"
  | "call-closed"
  | "call-acting"
  | "not-offered"
  | "already-taken"
  | "not-taken"
  | "report-late"
  | "approval-unknown"
  | "approval-closed"
  | "approval-changed"
  | "approver-not-allowed"
  | "edit-refused"
  | "not-unknown"
  | "no-undo"
  | "already-undone"
  | "identity-unavailable"
  | "principal-frozen"
  | "principal-disabled"
  | "receipt-invalid";
