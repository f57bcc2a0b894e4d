import type { OutcomeCode } from "../outcome-codes/outcome-codes.ts";
import { ParaphError } from "../paraph-error.ts";
import type { Contract } from "./contract.ts";
import { type ErrorTraits, readErrorTraits } from "./error-traits.ts";
import { type FaultKind, faultKinds } from "./fault-kind.ts";
import { type KnownError, knownErrors } from "./known-errors.ts";

const maxMessageLength = 10_000;

/** An error of a capability, classified. */
export interface Fault {
  readonly kind: FaultKind;
  /** A short code that is safe for events, logs and metrics. */
  readonly code: string;
  /** The capability's message. It is a payload, for the caller only. */
  readonly message: string;
  readonly retryAfterMs?: number;
  /** Whether the error is unrecognised, because neither the capability nor the table of known errors gives its kind. */
  readonly unrecognised?: true;
}

/** An error whose kind the capability declares itself. */
export class CapabilityError extends Error {
  readonly kind: FaultKind;
  readonly code: string;
  readonly retryAfterMs: number | undefined;

  constructor(kind: FaultKind, code: string, message: string, options: { retryAfterMs?: number } = {}) {
    super(message);
    this.name = "CapabilityError";
    this.kind = kind;
    this.code = code;
    this.retryAfterMs = options.retryAfterMs;
  }
}

/** [P9] Classifies any thrown value and never throws. An error that cannot be read is permanent. */
export function toFault(error: unknown): Fault {
  try {
    if (error instanceof CapabilityError) return toDeclaredFault(error);
    // Paraph throws its own errors before it acts, so the effect did not happen.
    if (error instanceof ParaphError)
      return toDeclaredFault(new CapabilityError("permanent", error.code, error.message));
    return findKnownError(readErrorTraits(error));
  } catch {
    const message = "The capability threw a value that Paraph cannot read.";
    return { kind: "permanent", code: "error" satisfies OutcomeCode, message, unrecognised: true };
  }
}

/**
 * Classifies the error of an attempt. An unrecognised error may have come after the effect, so it is ambiguous unless
 * the capability only reads.
 */
export function toAttemptFault(error: unknown, contract: Pick<Contract, "effect" | "idempotency">): Fault {
  const fault = toFault(error);
  if (contract.effect === "read") return fault;
  if (fault.unrecognised)
    return {
      ...fault,
      kind: "ambiguous",
      code: fault.code === "error" ? ("no-verdict" satisfies OutcomeCode) : fault.code,
    };
  const isDeclared = error instanceof CapabilityError;
  return isDeclared || isRepeatable(contract) ? fault : { ...fault, kind: withoutRepetition(fault.kind) };
}

/** Returns whether a second run has no second effect, whatever the first one did. */
const isRepeatable = ({ idempotency }: Pick<Contract, "idempotency">): boolean =>
  idempotency === "natural" || idempotency === "keyed";

/**
 * [P7] The error of a client says that its own request did nothing. An earlier request of the same attempt may have
 * acted, so it is no reason to run the attempt again.
 */
const withoutRepetition = (kind: FaultKind): FaultKind => (kind === "not-performed" ? "ambiguous" : kind);

function toDeclaredFault({ kind, code, message, retryAfterMs }: CapabilityError): Fault {
  return {
    kind: faultKinds.includes(kind) ? kind : "permanent",
    code: safeCode(code),
    message: describeError(message),
    ...(Number.isFinite(retryAfterMs) ? { retryAfterMs: retryAfterMs! } : {}),
  };
}

function findKnownError(traits: ErrorTraits): Fault {
  const kind = readFaultKind(traits);
  const fault = {
    kind: kind ?? "permanent",
    code: readCode(traits),
    message: describeError(traits.message),
  } as const;
  return kind === undefined ? { ...fault, unrecognised: true } : fault;
}

/**
 * Classifies an error by its failed system call, the table of known errors and its status. If none of them applies, an
 * error of a network client is ambiguous, because the client may have sent the request. Returns undefined for all other
 * errors.
 */
function readFaultKind(traits: ErrorTraits): FaultKind | undefined {
  // The failed system call shows how far the request got. It is stronger evidence than the usual meaning of the error
  // code.
  if (traits.status === undefined && traits.syscall !== undefined) {
    if (["connect", "getaddrinfo"].includes(traits.syscall)) return "not-performed";
    if (["read", "write"].includes(traits.syscall) && isNetwork(traits.code)) return "ambiguous";
  }
  const known = knownErrors.find((each) => fits(each, traits));
  if (known) return known.kind;
  if (traits.status !== undefined)
    return traits.status >= 400 && traits.status < 500 ? "permanent" : "ambiguous";
  return traits.fromTheWire ? "ambiguous" : undefined;
}

function fits({ by, is }: KnownError, traits: ErrorTraits): boolean {
  if (by === "sqlstate") return is.some((each) => traits.sqlstate?.startsWith(String(each)));
  // A message is the weakest sign, and counts only if the error has no code.
  if (by === "message" && traits.code !== undefined) return false;
  const found = traits[by];
  return found !== undefined && is.includes(found);
}

function isNetwork(code: string | undefined): boolean {
  return code !== undefined && !["EACCES", "EPERM", "ENOENT", "EISDIR", "EINVAL"].includes(code);
}

function readCode({ name, status, code, sqlstate, grpc }: ErrorTraits): string {
  if (status !== undefined) return safeCode(`http-${status}`);
  if (code !== undefined) return safeCode(code);
  if (sqlstate !== undefined) return safeCode(`sqlstate-${sqlstate.slice(0, 2)}`);
  if (grpc !== undefined) return safeCode(`grpc-${grpc}`);
  return (
    name === "TimeoutError" ? "timed-out" : name === "AbortError" ? "aborted" : "error"
  ) satisfies OutcomeCode;
}

/** The fault of an attempt that ran past its deadline. It is unknown whether the attempt had an effect. */
export const timeoutFault: Fault = {
  kind: "ambiguous",
  code: "timeout" satisfies OutcomeCode,
  message: "The attempt was stopped at its deadline.",
};

/** The fault of an attempt whose deadline passed before it began. Nothing was performed. */
export const deadlineFault: Fault = {
  kind: "not-performed",
  code: "too-late" satisfies OutcomeCode,
  message: "The attempt could not begin before its deadline.",
};

/**
 * Limits the length of a message and makes its Unicode well-formed. The message becomes a payload, so it must have a
 * canonical form.
 */
function describeError(message: string): string {
  return message.slice(0, maxMessageLength).toWellFormed();
}

/**
 * [P10] Returns the code if it consists of short words and numbers, and `error` otherwise. A word ends in at most two
 * digits, and a number has at most three digits. The author of the error chooses the code, which reaches events, logs
 * and metrics. A longer mix of letters and digits is more likely a key or an account number than a name.
 */
export function safeCode(code: string): string {
  const text = code.toLowerCase().replaceAll("_", "-");
  return text.length <= 48 && /^[a-z]{1,24}\d{0,2}(?:-(?:[a-z]{1,24}\d{0,2}|\d{1,3}))*$/.test(text)
    ? text
    : "error";
}
