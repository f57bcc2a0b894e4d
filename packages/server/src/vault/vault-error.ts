/** The meaning of a failed request to Vault for the caller. */
export type VaultErrorCode =
  /** Vault does not answer, is sealed or is overloaded. A retry may succeed. */
  | "vault-unavailable"
  /** Vault rejects the login, or its policy forbids the request. */
  | "vault-denied"
  /** There is nothing at this path. */
  | "vault-not-found"
  /** Vault cannot do what was asked, or its answer is not usable. */
  | "vault-invalid";

/** A failed request to Vault. The message says what failed and what to do, and never contains a secret. */
export class VaultError extends Error {
  override readonly name = "VaultError";
  readonly code: VaultErrorCode;

  constructor(code: VaultErrorCode, message: string, options: { cause?: unknown } = {}) {
    super(message, options);
    this.code = code;
  }
}
