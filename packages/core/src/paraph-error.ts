/** An error of Paraph. The stable code identifies it, and the message explains what failed and what to do next. */
export class ParaphError extends Error {
  readonly code: ParaphErrorCode;
  /** The time from which a retry makes sense, in milliseconds since 1970, if it is known. */
  readonly retryAt: number | undefined;
  /** The limit that was reached. Undefined if the error has another cause. */
  readonly limit: string | undefined;

  constructor(code: ParaphErrorCode, message: string, retryAt?: number, limit?: string) {
    super(message);
    this.name = "ParaphError";
    this.code = code;
    this.retryAt = retryAt;
    this.limit = limit;
  }
}

/** The stable code of an error. */
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
  | "already-claimed"
  | "not-claimed"
  | "report-late"
  | "approval-unknown"
  | "approval-closed"
  | "approval-changed"
  | "approver-not-allowed"
  | "passkey-required"
  | "passkey-invalid"
  | "edit-refused"
  | "not-unknown"
  | "not-retryable"
  | "no-undo"
  | "call-erased"
  | "already-undone"
  | "identity-unavailable"
  | "principal-frozen"
  | "principal-disabled"
  | "receipt-invalid"
  | "receipt-altered"
  | "no-next-key"
  | "signing-key-current"
  | "signing-key-invalid"
  | "signing-key-unknown"
  | "archive-invalid";
