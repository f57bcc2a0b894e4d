import { callStates, effects, outcomeKinds, risks } from "@paraph/core";
import {
  inRange,
  isAdapterName,
  isCapabilityName,
  isCode,
  isCount,
  isId,
  isMilliseconds,
  isProtocolDate,
  isRelease,
  isRouteTemplate,
  isTenantName,
  oneOf,
  type ValueOf,
  type ValueShape,
} from "./value-shapes.ts";

/**
 * [P10] This module alone defines what may leave the process in a metric, a span or a log line. It silently drops
 * unlisted keys, and values that do not match their key's shape.
 */
const methods = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"];
const decisions = ["approve", "deny"];
const results = ["value", "fault"];
const noticeKinds = ["request", "reminder", "escalation", "outcome", "summary"];
const roles = ["api", "worker", "all"];
/** Callers choose the method's name, so only the names that MCP defines are recorded. */
const mcpMethods = [
  "initialize",
  "ping",
  "server/discover",
  "tools/list",
  "tools/call",
  "resources/list",
  "resources/read",
  "prompts/list",
  "prompts/get",
  "notifications/initialized",
  "notifications/cancelled",
  "notifications/progress",
];

/** The labels of metrics. Each label multiplies the number of series, so no label holds an id. */
export const metricAttributes = {
  capability: isCapabilityName,
  outcome: oneOf(outcomeKinds),
  decision: oneOf(decisions),
  result: oneOf(results),
  effect: oneOf(effects),
  risk: oneOf(risks),
  code: isCode,
  entry: isCode,
  status: inRange(100, 599),
  /** The part of the system, such as `postgres` or `engine`. */
  part: isCode,
  pool: oneOf(["app", "reports", "sweeper"]),
  /** The name of a channel in the configuration. */
  channel: isCode,
  /** The kind of a notice. */
  kind: oneOf(noticeKinds),
};

/** The attributes that spans may carry. */
export const spanAttributes = {
  ...metricAttributes,
  "gen_ai.operation.name": oneOf(["execute_tool"]),
  "gen_ai.tool.name": isCapabilityName,
  "gen_ai.tool.call.id": isId,
  "error.type": isCode,
  "http.request.method": oneOf(methods),
  "http.route": isRouteTemplate,
  "http.response.status_code": inRange(100, 599),
  "mcp.method.name": oneOf(mcpMethods),
  "mcp.protocol.version": isProtocolDate,
  "paraph.call": isId,
  "paraph.approval": isId,
  "paraph.request": isId,
  "paraph.tenant": isTenantName,
  "paraph.capability": isCapabilityName,
  "paraph.state": oneOf(callStates),
  "paraph.outcome": oneOf(outcomeKinds),
  "paraph.attempt": isCount,
  "paraph.epoch": isCount,
  "paraph.steps": isCount,
};

/** The fields that log lines may carry. */
export const logFields = {
  call: isId,
  approval: isId,
  request: isId,
  tenant: isTenantName,
  capability: isCapabilityName,
  /** The adapter's name in the configuration. */
  adapter: isAdapterName,
  outcome: oneOf(outcomeKinds),
  state: oneOf(callStates),
  decision: oneOf(decisions),
  /** The code of an error, from `toErrorCode(error)`. */
  cause: isCode,
  /** The part of the system, such as `postgres` or `engine`. */
  part: isCode,
  role: oneOf(roles),
  version: isRelease,
  method: oneOf(methods),
  route: isRouteTemplate,
  status: inRange(100, 599),
  ms: isMilliseconds,
  attempt: isCount,
  epoch: isCount,
  count: isCount,
  port: inRange(0, 65_535),
};

/**
 * Returns the span's name if it is one of Paraph's span names, or a known operation with or without a valid target.
 * Otherwise it returns a safe replacement.
 */
export function toSpanName(name: string): string {
  const [operation = "", target, ...more] = name.split(" ", 3);
  if (more.length > 0) return unnamedSpan;
  if (target === undefined)
    return ownSpanPattern.test(operation) || isOperation(operation) ? name : unnamedSpan;
  if (isMethod(operation)) return isRouteTemplate(target) ? name : operation;
  return isOperation(operation) ? (isCapabilityName(target) ? name : operation) : unnamedSpan;
}

const unnamedSpan = "paraph.unnamed";
const ownSpanPattern = /^(?:executor|paraph)(?:\.[a-z_]{1,24}){1,3}$/;
const isMethod = oneOf(methods);
const isOperation = oneOf(["execute_tool", ...methods, ...mcpMethods]);

type AllowList = Readonly<Record<string, ValueShape<string | number>>>;

/** The fields that an allow list accepts. */
export type Allowed<L extends AllowList> = { readonly [K in keyof L]?: ValueOf<L[K]> | undefined };

/** Returns the fields that the list allows. */
export function filterAllowed(list: AllowList, fields: object): Record<string, string | number> {
  const passed: Record<string, string | number> = {};
  for (const [key, value] of Object.entries(fields)) {
    if (Object.hasOwn(list, key) && list[key]!(value)) passed[key] = value;
  }
  return passed;
}
