import { CapabilityError, type FaultKind, toFault } from "@paraph/core";
import { isReadMethod } from "./read-method.ts";
import { redactSecrets } from "./secrets.ts";
import type { RawResponse } from "./send-request.ts";

/** [P8] Classifies a failed connection. An unexpected error is returned unchanged and counts as permanent. */
export function toNetworkFault(error: unknown): unknown {
  if (error instanceof CapabilityError) return error;
  const { code, name, syscall } = error as { code?: unknown; name?: unknown; syscall?: unknown };
  // An established connection can also end with one of these codes. The request may then already have been sent.
  if (/^E(?:HOST|NET)UNREACH$/.test(String(code)) && syscall !== "connect") return connectionLostFault();
  // Some errors have a numeric code or no code. The name of such an error identifies it.
  const known = knownCodes.find(({ pattern }) =>
    [code, name].some((each) => typeof each === "string" && pattern.test(each)),
  );
  return known ? new CapabilityError(known.kind, known.code, known.message) : error;
}

function connectionLostFault(): CapabilityError {
  const { kind, code: as, message } = connectionLost;
  return new CapabilityError(kind, as, message);
}

interface KnownCode {
  readonly pattern: RegExp;
  readonly kind: FaultKind;
  readonly code: string;
  readonly message: string;
}

const connectionLost: KnownCode = {
  pattern:
    /^(ECONNRESET|EPIPE|ETIMEDOUT|UND_ERR_(SOCKET|HEADERS_TIMEOUT|BODY_TIMEOUT|ABORTED)|ABORT_ERR|AbortError|TimeoutError|HPE_.*|HTTPParserError)$/,
  kind: "ambiguous",
  code: "connection-lost",
  message:
    "The connection was lost before the complete response arrived. The request may or may not have taken effect.",
};

const knownCodes: readonly KnownCode[] = [
  {
    pattern: /^address-not-allowed$/,
    kind: "permanent",
    code: "address-not-allowed",
    message: "The host's address is not public. To allow it, add it to the adapter's `allow`.",
  },
  {
    pattern: /^(ECONNREFUSED|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|UND_ERR_CONNECT_TIMEOUT)$/,
    kind: "not-performed",
    code: "unreachable",
    message: "Paraph cannot reach the host. Nothing was sent. Check the URL and the network.",
  },
  {
    pattern: /^(CERT_|ERR_TLS_CERT|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO_)/,
    kind: "permanent",
    code: "certificate-invalid",
    message:
      "The host's certificate is not valid. Nothing was sent. Check the certificate's expiry date, host name and issuer.",
  },
  connectionLost,
];

export function redirectFault(code: string, what: string): CapabilityError {
  return new CapabilityError("permanent", code, `${what} Use the final URL, or add it to the configuration.`);
}

export function isRedirectedRead(method: string, { status }: RawResponse): boolean {
  return isReadMethod(method) && status >= 300 && status < 400 && status !== 304;
}

/**
 * [TRUST 30] Creates the fault for a redirect of a call. Adapters follow no redirects of calls, because policy ruled on
 * the requested URL and the host must not replace it.
 */
export function redirectedFault(
  { status, headers }: RawResponse,
  secrets: readonly string[],
  advice: string,
): CapabilityError {
  const location = redactSecrets([headers.location].flat()[0] ?? "", secrets).slice(0, 2_000);
  const message = `The host answered ${status} and redirects to \`${location.toWellFormed()}\`. ${advice}`;
  return new CapabilityError("permanent", "redirected", message);
}

/** The conditions of a request, which decide the meaning of some status codes. */
export interface RequestConditions {
  readonly method: string;
  readonly attempt: number;
  /**
   * Whether the request had an idempotency key. If so, 409 on a later attempt means that an earlier attempt is still
   * running.
   */
  readonly keyed?: boolean;
  /** Whether the request was conditional on the basis. 412 then means that the basis has changed. */
  readonly conditional?: boolean;
}

/**
 * [P8] Classifies a status. Returns undefined if the status means success. `words` is the host's error text, which is
 * for the caller.
 */
export function toStatusFault(
  { status, headers }: RawResponse,
  { method, attempt, keyed = false, conditional = false }: RequestConditions,
  words: string,
): CapabilityError | undefined {
  const reading = isReadMethod(method);
  const told = words === "" ? "" : `: ${words}`;
  const fault = (kind: FaultKind, code: string) =>
    new CapabilityError(
      kind,
      code,
      `The host answered ${status}${told}`,
      parseRetryAfter(headers["retry-after"]),
    );
  if (status >= 200 && status < 300) return undefined;
  // After a write, 303 means that the host performed the write. 307 and 308 mean that it did not. 301 and 302 are
  // ambiguous.
  if (status === 303 && !reading) return undefined;
  // A host sends 304 only if the request was conditional and the content has not changed. 304 is therefore not a fault.
  if (status === 304) return undefined;
  if (status >= 300 && status < 400)
    return fault(!reading && status < 303 ? "ambiguous" : "permanent", "redirected");
  if (status === 412 && conditional) {
    // From the second attempt on, an earlier attempt may itself have changed the basis, so the outcome is unknown.
    return attempt > 1 ? fault("ambiguous", "basis-changed") : resourceChangedFault();
  }
  // An earlier attempt of the same deletion has removed the resource, which is the wanted result.
  if ((status === 404 || status === 410) && method === "DELETE" && attempt > 1) return undefined;
  if (status === 409 && keyed && attempt > 1) return fault("ambiguous", "still-at-it");
  return fault(toStatusFaultKind(status, headers["retry-after"]), `http-${status}`);
}

export function resourceChangedFault(): CapabilityError {
  return new CapabilityError(
    "permanent",
    "basis-changed",
    "The resource changed since the preview. Preview the call again.",
  );
}

/**
 * [P8] Classifies a status by core's table, which considers only the status. The exception is 503 with `Retry-After`,
 * which means that the host has performed nothing. A proxy answers 503 without `Retry-After` when it stops waiting for
 * a host that may continue.
 */
export function toStatusFaultKind(status: number, retryAfter: string | undefined): FaultKind {
  if (status === 503 && retryAfter !== undefined) return "not-performed";
  return toFault(Object.assign(new Error(), { status })).kind;
}

/** Parses the header as seconds or as a date. */
function parseRetryAfter(header: string | undefined): { retryAfterMs?: number } {
  if (header === undefined) return {};
  const ms = /^\d{1,9}$/.test(header) ? Number(header) * 1_000 : Date.parse(header) - Date.now();
  return Number.isFinite(ms) && ms > 0 ? { retryAfterMs: ms } : {};
}
