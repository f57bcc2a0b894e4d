/**
 * [P8] What an error says about the world: nothing happened, nobody knows, or it never will.
 * What is not recognised is permanent, because a retry that was not earned can double an effect.
 */
export type FaultKind = (typeof faultKinds)[number];
const faultKinds = ["not-performed", "ambiguous", "permanent"] as const;

const longestMessage = 10_000;

export interface Fault {
  readonly kind: FaultKind;
  /** Short and safe for events, logs and metrics. */
  readonly code: string;
  /** What the capability said: a payload, for the caller only. */
  readonly message: string;
  readonly retryAfterMs?: number;
}

/** How a capability says which of the three it was. */
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

/** [P9] Never throws, whatever it is given: an error that cannot even be read is permanent. */
export function faultOf(error: unknown): Fault {
  try {
    return error instanceof CapabilityError ? asSaid(error) : recognised(traits(error));
  } catch {
    return { kind: "permanent", code: "error", message: "The capability threw what cannot be read." };
  }
}

function asSaid({ kind, code, message, retryAfterMs }: CapabilityError): Fault {
  return {
    kind: faultKinds.includes(kind) ? kind : "permanent",
    code: safeCode(code),
    message: told(message),
    ...(Number.isFinite(retryAfterMs) ? { retryAfterMs: retryAfterMs! } : {}),
  };
}

function recognised({ status, code, message }: Traits): Fault {
  if (status !== undefined && Object.hasOwn(byStatus, status))
    return { kind: byStatus[status]!, code: `http-${status}`, message };
  if (code !== undefined && Object.hasOwn(byCode, code))
    return { kind: byCode[code]!, code: safeCode(code), message };
  return {
    kind: "permanent",
    code: status === undefined ? safeCode(code ?? "error") : safeCode(`http-${status}`),
    message,
  };
}

/** The attempt ran past its deadline: whether it had an effect, nobody here can say. */
export const timedOut: Fault = {
  kind: "ambiguous",
  code: "timeout",
  message: "The attempt was stopped at its deadline.",
};

/** The deadline was over before the attempt had begun: nothing was performed. */
export const tooLate: Fault = {
  kind: "not-performed",
  code: "too-late",
  message: "The attempt could not begin before its deadline.",
};

const byStatus: Record<number, FaultKind> = {
  408: "ambiguous",
  429: "not-performed",
  500: "ambiguous",
  502: "ambiguous",
  503: "not-performed",
  504: "ambiguous",
};

const byCode: Record<string, FaultKind> = {
  ECONNREFUSED: "not-performed",
  ENOTFOUND: "not-performed",
  EAI_AGAIN: "not-performed",
  EHOSTUNREACH: "not-performed",
  ENETUNREACH: "not-performed",
  UND_ERR_CONNECT_TIMEOUT: "not-performed",
  ECONNRESET: "ambiguous",
  EPIPE: "ambiguous",
  ETIMEDOUT: "ambiguous",
  UND_ERR_SOCKET: "ambiguous",
  UND_ERR_HEADERS_TIMEOUT: "ambiguous",
  UND_ERR_BODY_TIMEOUT: "ambiguous",
  ABORT_ERR: "ambiguous",
};

interface Traits {
  readonly status?: number;
  readonly code?: string;
  readonly message: string;
}

function traits(error: unknown): Traits {
  if (typeof error !== "object" || error === null)
    return { message: "The capability threw a value that is not an error." };
  const { status, code, message, cause } = error as Record<string, unknown>;
  const inner =
    typeof cause === "object" && cause !== null ? (cause as Record<string, unknown>).code : undefined;
  const name = typeof code === "string" ? code : typeof inner === "string" ? inner : undefined;
  return {
    ...(typeof status === "number" ? { status } : {}),
    ...(name === undefined ? {} : { code: name }),
    message: typeof message === "string" ? told(message) : "The capability failed without a message.",
  };
}

/** A message becomes a payload, so it must have a canonical form, and a size that fits. */
function told(message: string): string {
  return message.slice(0, longestMessage).toWellFormed();
}

/**
 * [P10] Codes reach events, logs and metrics, and whoever throws chooses them: only words pass, with a digit or two
 * at most. Letters and digits mixed are more likely a key or an account number than a name.
 */
function safeCode(code: string): string {
  const text = code.toLowerCase().replaceAll("_", "-");
  return text.length <= 48 && /^[a-z]{1,24}\d{0,2}(?:-(?:[a-z]{1,24}\d{0,2}|\d{1,3}))*$/.test(text)
    ? text
    : "error";
}
