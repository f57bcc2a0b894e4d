import {
  InsufficientScopeError,
  OAuthClientFlowError,
  OAuthError,
  ProtocolError,
  ProtocolErrorCode,
  SdkError,
  SdkErrorCode,
  SdkHttpError,
  UnauthorizedError,
} from "@modelcontextprotocol/client";
import { CapabilityError, type Effect, type FaultKind } from "@paraph/core";
import { toNetworkFault, toStatusFaultKind } from "../../egress/http-fault.ts";
import { maxMcpMessageBytes } from "./process-transport.ts";

/** [P8] Classifies a failed request. A failed read is never ambiguous, because a read has no effect. */
export function toRequestFault(error: unknown, effect: Effect): unknown {
  const inDoubt: FaultKind = effect === "read" ? "not-performed" : "ambiguous";
  if (error instanceof CapabilityError) return error;
  if (error instanceof InsufficientScopeError)
    return createFault(
      "permanent",
      "mcp-scope-missing",
      "The MCP server requires another scope for this call. Add it to `scope`, and log in again if the server uses a person's login.",
    );
  // A request without authorization had no effect. If Paraph could not get a token, the request had no effect either.
  if ([UnauthorizedError, OAuthClientFlowError, OAuthError].some((kind) => error instanceof kind))
    return unauthorizedFault();
  if (isSessionLost(error))
    return createFault(
      "not-performed",
      "mcp-session-lost",
      "The MCP server lost the session. Paraph will retry.",
    );
  if (error instanceof SdkHttpError) return toHttpFault(error.status, inDoubt);
  if (error instanceof ProtocolError) return toProtocolFault(error, effect);
  const inner = toNetworkFault(findRootCause(error));
  if (inner instanceof CapabilityError)
    return inner.kind === "ambiguous" ? new CapabilityError(inDoubt, inner.code, inner.message) : inner;
  if (!(error instanceof SdkError)) return createFault(inDoubt, "mcp-connection-lost", connectionLostMessage);
  switch (error.code) {
    case SdkErrorCode.NotConnected:
    case SdkErrorCode.NotInitialized:
      return createFault(
        "not-performed",
        "mcp-server-unavailable",
        "The MCP server is not connected. Paraph will retry.",
      );
    case SdkErrorCode.RequestTimeout:
      return createFault(
        inDoubt,
        "mcp-timed-out",
        "The MCP server did not answer in time. Check the server, or raise `timeout` in its configuration or profile.",
      );
    case SdkErrorCode.InvalidResult:
      return createFault(
        inDoubt,
        "mcp-answer-invalid",
        "The MCP server's response is not valid MCP. Update the server, or report the problem to its developers.",
      );
    case SdkErrorCode.UnsupportedResultType:
      return createFault(
        "permanent",
        "mcp-input-required",
        "The MCP server asked for more input during the call, which Paraph does not support. Include all input in the call.",
      );
    case SdkErrorCode.CapabilityNotSupported:
    case SdkErrorCode.MethodNotSupportedByProtocolVersion:
      return createFault("permanent", "mcp-not-offered", "The MCP server does not support this request.");
    default:
      return createFault(inDoubt, "mcp-connection-lost", connectionLostMessage);
  }
}

/** Creates the fault for an answer that exceeds the size limit. Whether a write was done is unknown. */
export function answerTooLargeFault(effect: Effect): CapabilityError {
  return createFault(
    effect === "read" ? "permanent" : "ambiguous",
    "mcp-answer-too-large",
    `The MCP server's answer exceeds the limit of ${maxMcpMessageBytes / 1024 / 1024} MiB. Request less data, for example with a filter or a page size.`,
  );
}

/**
 * Whether the server has lost the session and ignored the request. The status for a lost session is 404, but many
 * servers answer 400 with a text about the session.
 */
export function isSessionLost(error: unknown): error is SdkHttpError {
  if (!(error instanceof SdkHttpError)) return false;
  return error.status === 404 || (error.status === 400 && /session/i.test(String(error.data.text ?? "")));
}

function toHttpFault(status: number, inDoubt: FaultKind): CapabilityError {
  if (status === 401 || status === 403) return unauthorizedFault();
  const kind = toStatusFaultKind(status, undefined);
  return createFault(
    kind === "ambiguous" ? inDoubt : kind,
    `http-${status}`,
    `The host of the MCP server answered with HTTP status ${status}.`,
  );
}

/**
 * Classifies an error of the protocol. JSON-RPC has four codes for a request that was not carried out. Any other code
 * is specific to the server, and may even report a timeout inside the server. The message is for the caller.
 */
function toProtocolFault({ code, message }: ProtocolError, effect: Effect): CapabilityError {
  const readKind = code === ProtocolErrorCode.InternalError ? "not-performed" : "permanent";
  const kind = notPerformedCodes.includes(code) ? "permanent" : effect === "read" ? readKind : "ambiguous";
  return createFault(kind, "mcp-error", `The MCP server answered with error ${code}: ${message}`);
}

const notPerformedCodes: readonly number[] = [
  ...[ProtocolErrorCode.ParseError, ProtocolErrorCode.InvalidRequest],
  ...[ProtocolErrorCode.MethodNotFound, ProtocolErrorCode.InvalidParams],
];

function unauthorizedFault(): CapabilityError {
  return createFault(
    "permanent",
    "mcp-unauthorized",
    "The MCP server rejected the credential. Check `credential` and `headers`, or log in again with `paraph mcp login`.",
  );
}

/** Returns the innermost cause, because errors of a connection are wrapped. */
function findRootCause(error: unknown): unknown {
  const { cause } = (error ?? {}) as { cause?: unknown };
  return cause === undefined || cause === null ? error : findRootCause(cause);
}

const connectionLostMessage = "The connection to the MCP server was lost before the server answered.";
const createFault = (kind: FaultKind, code: string, message: string) =>
  new CapabilityError(kind, code, message);
