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
import { kindOfStatus, networkFault } from "../../outbound/fault.ts";

/** [P8] What it means that a request had no result. Whatever only reads has done nothing in any case. */
export function faultOfRequest(error: unknown, effect: Effect): unknown {
  const inDoubt: FaultKind = effect === "read" ? "not-performed" : "ambiguous";
  if (error instanceof CapabilityError) return error;
  if (error instanceof InsufficientScopeError)
    return fault(
      "permanent",
      "mcp-scope-missing",
      "The MCP server wants a wider scope for this: name it as `scope`, and log in anew where that is a person's.",
    );
  // Whoever was not let in has done nothing, whatever came of getting a token.
  if ([UnauthorizedError, OAuthClientFlowError, OAuthError].some((kind) => error instanceof kind))
    return unauthorized();
  if (isForgotten(error))
    return fault("not-performed", "mcp-session-lost", "The MCP server was started anew: it is tried again.");
  if (error instanceof SdkHttpError) return faultOfStatus(error.status, inDoubt);
  if (error instanceof ProtocolError) return faultOfAnswer(error, effect);
  const inner = networkFault(deepest(error));
  if (inner instanceof CapabilityError)
    return inner.kind === "ambiguous" ? new CapabilityError(inDoubt, inner.code, inner.message) : inner;
  if (!(error instanceof SdkError)) return fault(inDoubt, "mcp-connection-lost", connectionLost);
  switch (error.code) {
    case SdkErrorCode.NotConnected:
    case SdkErrorCode.NotInitialized:
      return fault("not-performed", "mcp-server-away", "The MCP server is not connected: it is tried again.");
    case SdkErrorCode.RequestTimeout:
      return fault(inDoubt, "mcp-timed-out", "The MCP server did not answer in time.");
    case SdkErrorCode.InvalidResult:
      return fault(inDoubt, "mcp-answer-invalid", "The MCP server's answer is not one that MCP allows.");
    case SdkErrorCode.UnsupportedResultType:
      return fault(
        "permanent",
        "mcp-input-required",
        "The MCP server asks for input while it acts, which is not passed on: give it everything with the call.",
      );
    case SdkErrorCode.CapabilityNotSupported:
    case SdkErrorCode.MethodNotSupportedByProtocolVersion:
      return fault("permanent", "mcp-not-offered", "The MCP server does not offer this.");
    default:
      return fault(inDoubt, "mcp-connection-lost", connectionLost);
  }
}

/** The server has forgotten the session, and never looked at the request: 404, or with many 400 and words about it. */
export function isForgotten(error: unknown): error is SdkHttpError {
  if (!(error instanceof SdkHttpError)) return false;
  return error.status === 404 || (error.status === 400 && /session/i.test(String(error.data.text ?? "")));
}

function faultOfStatus(status: number, inDoubt: FaultKind): CapabilityError {
  if (status === 401 || status === 403) return unauthorized();
  const kind = kindOfStatus(status, undefined);
  return fault(
    kind === "ambiguous" ? inDoubt : kind,
    `http-${status}`,
    `The MCP server's host answered ${status}.`,
  );
}

/**
 * JSON-RPC has four codes for a request that was not carried out. What a server means by any other is its own matter, and a
 * time-out of its own is among them. Its words are for the caller.
 */
function faultOfAnswer({ code, message }: ProtocolError, effect: Effect): CapabilityError {
  const readKind = code === ProtocolErrorCode.InternalError ? "not-performed" : "permanent";
  const kind = notCarriedOut.includes(code) ? "permanent" : effect === "read" ? readKind : "ambiguous";
  return fault(kind, "mcp-error", `The MCP server answered with error ${code}: ${message}`);
}

const notCarriedOut: readonly number[] = [
  ...[ProtocolErrorCode.ParseError, ProtocolErrorCode.InvalidRequest],
  ...[ProtocolErrorCode.MethodNotFound, ProtocolErrorCode.InvalidParams],
];

function unauthorized(): CapabilityError {
  return fault(
    "permanent",
    "mcp-unauthorized",
    "The MCP server does not take the credential: see `credential` and `headers`, or log in anew with `paraph mcp login`.",
  );
}

/** What broke a connection is wrapped in what noticed it. */
function deepest(error: unknown): unknown {
  const { cause } = (error ?? {}) as { cause?: unknown };
  return cause === undefined || cause === null ? error : deepest(cause);
}

const connectionLost = "The connection to the MCP server was lost before it had answered.";
const fault = (kind: FaultKind, code: string, message: string) => new CapabilityError(kind, code, message);
