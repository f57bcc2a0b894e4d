import { effects, outcomeKinds, risks } from "@paraph/core";
import {
  capabilityName,
  code,
  count,
  id,
  milliseconds,
  oneOf,
  protocolDate,
  release,
  routeTemplate,
  type Shape,
  tenantName,
  type ValueOf,
  within,
} from "./shape.ts";

/**
 * [P10] The one place that says what may leave the process in a metric, a span or a log line.
 * A key that is not listed, or a value that has not its key's shape, is dropped without a word.
 */
const methods = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"];
const decisions = ["approve", "deny"];
const results = ["value", "fault"];
const states = ["previewing", "asking", "ready", "queued", "offered", "performing", "delayed", "closed"];
const roles = ["api", "worker", "all"];
/** Callers write the method's name, so that only MCP's own are repeated. */
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

/** Labels of metrics: each multiplies the series, so ids are not among them. */
export const metricAttributes = {
  capability: capabilityName,
  outcome: oneOf(outcomeKinds),
  decision: oneOf(decisions),
  result: oneOf(results),
  effect: oneOf(effects),
  risk: oneOf(risks),
  code,
};

export const spanAttributes = {
  ...metricAttributes,
  "gen_ai.operation.name": oneOf(["execute_tool"]),
  "gen_ai.tool.name": capabilityName,
  "gen_ai.tool.call.id": id,
  "error.type": code,
  "http.request.method": oneOf(methods),
  "http.route": routeTemplate,
  "http.response.status_code": within(100, 599),
  "mcp.method.name": oneOf(mcpMethods),
  "mcp.protocol.version": protocolDate,
  "paraph.call": id,
  "paraph.approval": id,
  "paraph.request": id,
  "paraph.tenant": tenantName,
  "paraph.capability": capabilityName,
  "paraph.state": oneOf(states),
  "paraph.outcome": oneOf(outcomeKinds),
  "paraph.attempt": count,
  "paraph.epoch": count,
  "paraph.steps": count,
};

export const logFields = {
  call: id,
  approval: id,
  request: id,
  tenant: tenantName,
  capability: capabilityName,
  /** As the configuration names it. */
  adapter: code,
  outcome: oneOf(outcomeKinds),
  state: oneOf(states),
  decision: oneOf(decisions),
  /** What an error is called: `codeOf(error)`. */
  cause: code,
  /** Which part of the system: `postgres`, `engine`. */
  part: code,
  role: oneOf(roles),
  version: release,
  method: oneOf(methods),
  route: routeTemplate,
  status: within(100, 599),
  ms: milliseconds,
  attempt: count,
  epoch: count,
  count,
  port: within(0, 65_535),
};

/** Names of spans: one of ours, or a known operation with a known target. */
export function spanName(name: string): string {
  const [operation = "", target, ...more] = name.split(" ", 3);
  if (more.length > 0) return unnamed;
  if (target === undefined) return ours.test(operation) || isOperation(operation) ? name : unnamed;
  if (isMethod(operation)) return routeTemplate(target) ? name : operation;
  return isOperation(operation) ? (capabilityName(target) ? name : operation) : unnamed;
}

const unnamed = "paraph.unnamed";
const ours = /^(?:executor|paraph)(?:\.[a-z_]{1,24}){1,3}$/;
const isMethod = oneOf(methods);
const isOperation = oneOf(["execute_tool", ...methods, ...mcpMethods]);

type AllowList = Readonly<Record<string, Shape<string | number>>>;

export type Allowed<L extends AllowList> = { readonly [K in keyof L]?: ValueOf<L[K]> | undefined };

/** What of these fields the list lets pass. */
export function onlyAllowed(list: AllowList, fields: object): Record<string, string | number> {
  const passed: Record<string, string | number> = {};
  for (const [key, value] of Object.entries(fields)) {
    if (Object.hasOwn(list, key) && list[key]!(value)) passed[key] = value;
  }
  return passed;
}
