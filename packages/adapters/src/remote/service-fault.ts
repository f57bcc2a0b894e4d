import { CapabilityError, type FaultKind, toFault } from "@paraph/core";
import { toStatusFaultKind } from "../egress/http-fault.ts";
import { BodyTooLong } from "./read-lines.ts";

/**
 * [P8] The kind of request, which decides the fault if there is no signed answer. After an apply was sent, its effect
 * is unknown. A preview or a probe never has an effect.
 */
export type RequestKind = "an effect" | "a look";

/** Converts the error of a failed or broken connection to a fault. */
export function toConnectionFault(error: unknown, sent: RequestKind): CapabilityError {
  const code = readErrorCode(error);
  if (error instanceof BodyTooLong)
    return createFault(
      toUncertainKind(sent),
      "answer-too-large",
      "The service's response exceeds the size limit. Paraph closed the connection.",
    );
  if (isUnsent(error, code))
    return createFault(
      "not-performed",
      "service-unavailable",
      `The service cannot be reached (\`${code}\`). Check that it is running.`,
    );
  if (/^(CERT_|ERR_TLS|ERR_SSL|EPROTO$|DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_)/.test(code))
    return createFault(
      "permanent",
      "certificate-refused",
      `Paraph does not trust the service's TLS connection (\`${code}\`). Check its certificate.`,
    );
  return createFault(
    toUncertainKind(sent),
    "connection-lost",
    "The connection to the service was lost before the service answered.",
  );
}

/** Converts an unsigned response to a fault. Such a response does not come from the service. */
export function toUnsignedFault(status: number, retryAfter: unknown, sent: RequestKind): CapabilityError {
  const code = `http-${status}`;
  const said = `The service's address returned an unsigned response with status ${status}`;
  if (status < 300)
    return createFault(
      toUncertainKind(sent),
      "answer-untrusted",
      "The response is not signed with the service's key. Check the public key in `service`.",
    );
  if (status < 400)
    return createFault(
      // A host that answers 307 or 308 has not performed the request. After a redirect with a status below 304, Paraph
      // cannot know whether the host performed the request.
      status < 304 ? toUncertainKind(sent) : "permanent",
      "redirected",
      "The service redirects to another address. Set `url` to its final address.",
    );
  if (status === 401)
    return createFault(
      "permanent",
      "key-refused",
      "The service does not accept Paraph's key. Add Paraph's public key to `callers` in the service.",
    );
  if (status === 404)
    return createFault(
      "permanent",
      "nothing-served",
      "The service serves no capabilities at this address. Check `url`.",
    );
  const kind = toStatusFaultKind(status, retryAfter === undefined ? undefined : String(retryAfter));
  if (kind === "not-performed") {
    const seconds = Number(retryAfter ?? Number.NaN);
    const options = Number.isFinite(seconds) ? { retryAfterMs: seconds * 1_000 } : {};
    return new CapabilityError("not-performed", code, `${said}. Paraph will retry.`, options);
  }
  return createFault(kind === "ambiguous" ? toUncertainKind(sent) : kind, code, `${said}.`);
}

/** Creates the fault for a stream that ended early or had an unexpected answer. */
export function answerMissingFault(sent: RequestKind): CapabilityError {
  return createFault(
    toUncertainKind(sent),
    "answer-missing",
    "The service closed the connection before it answered.",
  );
}

export function answerInvalidFault(sent: RequestKind): CapabilityError {
  const message =
    "Paraph does not understand the service's response. Update Paraph and the service's SDK to the same version.";
  return createFault(toUncertainKind(sent), "answer-invalid", message);
}

const toUncertainKind = (sent: RequestKind): FaultKind =>
  sent === "an effect" ? "ambiguous" : "not-performed";

const createFault = (kind: FaultKind, code: string, message: string) =>
  new CapabilityError(kind, code, message);

/**
 * Whether the error proves that Paraph did not send the request. An unreachable host is no proof, because a host can
 * also become unreachable after the connection is established.
 */
function isUnsent(error: unknown, code: string): boolean {
  return connectFailureCodes.has(code) || toFault(error).kind === "not-performed";
}

const connectFailureCodes = new Set(["ECONNREFUSED", "ENOTFOUND", "EAI_AGAIN", "UND_ERR_CONNECT_TIMEOUT"]);

/**
 * Returns the code of an error or of its first inner error. A connection to a host with two addresses has one inner
 * error for each address.
 */
function readErrorCode(error: unknown): string {
  const { code, cause, errors } = (error ?? {}) as { code?: unknown; cause?: unknown; errors?: unknown[] };
  if (typeof code === "string") return code;
  const inner = cause ?? errors?.[0];
  return inner === undefined ? "" : readErrorCode(inner);
}
