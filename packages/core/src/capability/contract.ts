import type { JsonObject } from "../json.ts";
import type { RetryPolicy } from "./retry.ts";

/** The effects that a capability can have on the external system. */
export const effects = ["read", "write", "destroy"] as const;
/** The effect of a capability on the external system. */
export type Effect = (typeof effects)[number];

/** The levels of risk, least to most harmful. */
export const risks = ["low", "medium", "high", "critical"] as const;
/** The harm that a capability can do. */
export type Risk = (typeof risks)[number];

/**
 * [P7] The recovery of an attempt whose end is not recorded:
 * - `natural`: run it again.
 * - `keyed`: run it again with the call's key.
 * - `probe`: ask the external system.
 * - `none`: nothing.
 */
export const idempotencies = ["natural", "keyed", "probe", "none"] as const;
/** The behaviour of a capability when it is repeated. */
export type Idempotency = (typeof idempotencies)[number];

/** The promises of a capability, as data. They are the same for every process, and readable without Paraph's code. */
export interface Contract {
  readonly name: string;
  readonly version: number;
  readonly summary: string;
  readonly effect: Effect;
  readonly risk: Risk;
  readonly idempotency: Idempotency;
  readonly previews: boolean;
  readonly input: JsonObject;
  readonly output: JsonObject;
  readonly sensitive: readonly string[];
  readonly timeoutMs: number;
  readonly applyWithinMs: number;
  readonly keyTtlMs: number;
  readonly retry: RetryPolicy;
  /** `agent` if the requester performs the call itself. Missing if Paraph performs it. */
  readonly performer?: "agent";
  /** Whether the capability consists of governed calls of other capabilities. */
  readonly composite?: true;
}

/** Returns the part of a name before its first dot, for example `files` for `files.write`. */
export function adapterName(contract: Pick<Contract, "name">): string {
  return contract.name.slice(0, contract.name.indexOf("."));
}
