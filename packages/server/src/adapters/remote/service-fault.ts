import { CapabilityError, type FaultKind, toFault } from "@paraph/core";
import { toStatusFaultKind } from "../../outbound/http-fault.ts";
import { BodyTooLong } from "./read-lines.ts";

/**
 * [P8] What it means that no answer came which the service has signed. Of `apply` nobody knows what it did once it was sent;
 * whatever only looks has done nothing in any case.
 */
export type RequestKind = "an effect" | "a look";

/** The connection did not come about, or broke. */
export function toConnectionFault(error: unknown, sent: RequestKind): CapabilityError {
  const code = readErrorCode(error);
  if (error instanceof BodyTooLong)
    return createFault(
      toUncertainKind(sent),
      "answer-too-large",
      "The service's answer does not end: it was hung up on.",
    );
  if (isUnsent(error, code))
    return createFault(
      "not-performed",
      "service-away",
      `The service cannot be reached (\`${code}\`): see whether it runs.`,
    );
  if (/^(CERT_|ERR_TLS|ERR_SSL|EPROTO$|DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_)/.test(code))
    return createFault(
      "permanent",
      "certificate-refused",
      `The service's TLS is not to be trusted (\`${code}\`).`,
    );
  return createFault(
    toUncertainKind(sent),
    "connection-lost",
    "The connection to the service broke before it had answered.",
  );
}

/** Something answered, but not the service: nothing in what it says is signed. */
export function toUnsignedFault(status: number, retryAfter: unknown, sent: RequestKind): CapabilityError {
  const code = `http-${status}`;
  const said = `Something before the service answered ${status}`;
  if (status < 300)
    return createFault(
      toUncertainKind(sent),
      "answer-untrusted",
      "The answer is not signed with the service's key: see `service`.",
    );
  if (status < 400)
    return createFault(
      // A host that answers 307 or 308 has not acted. Other redirects leave that open.
      status < 304 ? toUncertainKind(sent) : "permanent",
      "redirected",
      "The service redirects elsewhere: write its real address as `url`.",
    );
  if (status === 401)
    return createFault(
      "permanent",
      "key-refused",
      "The service does not know this key: add its public key to `callers`.",
    );
  if (status === 404)
    return createFault("permanent", "nothing-served", "No capabilities are served at this address.");
  const kind = toStatusFaultKind(status, retryAfter === undefined ? undefined : String(retryAfter));
  if (kind === "not-performed") {
    const seconds = Number(retryAfter ?? Number.NaN);
    const options = Number.isFinite(seconds) ? { retryAfterMs: seconds * 1_000 } : {};
    return new CapabilityError("not-performed", code, `${said}: it is tried again.`, options);
  }
  return createFault(kind === "ambiguous" ? toUncertainKind(sent) : kind, code, `${said}.`);
}

/** The stream ended, or said something else than was asked. */
export function answerMissingFault(sent: RequestKind): CapabilityError {
  return createFault(toUncertainKind(sent), "answer-missing", "The service hung up before it had answered.");
}

export function answerInvalidFault(sent: RequestKind): CapabilityError {
  const message = "The service answers what this Paraph does not understand: bring both up to date.";
  return createFault(toUncertainKind(sent), "answer-invalid", message);
}

const toUncertainKind = (sent: RequestKind): FaultKind =>
  sent === "an effect" ? "ambiguous" : "not-performed";

const createFault = (kind: FaultKind, code: string, message: string) =>
  new CapabilityError(kind, code, message);

/** An established connection can become unreachable too, after the request was sent. */
function isUnsent(error: unknown, code: string): boolean {
  return connectFailureCodes.has(code) || toFault(error).kind === "not-performed";
}

const connectFailureCodes = new Set(["ECONNREFUSED", "ENOTFOUND", "EAI_AGAIN", "UND_ERR_CONNECT_TIMEOUT"]);

/** An error's own code, or that of one inside: a name with two addresses fails once for each. */
function readErrorCode(error: unknown): string {
  const { code, cause, errors } = (error ?? {}) as { code?: unknown; cause?: unknown; errors?: unknown[] };
  if (typeof code === "string") return code;
  const inner = cause ?? errors?.[0];
  return inner === undefined ? "" : readErrorCode(inner);
}
