import type { JsonObject } from "../json.ts";
import type { RetryPolicy } from "./retry.ts";

export const effects = ["read", "write", "destroy"] as const;
export type Effect = (typeof effects)[number];

export const risks = ["low", "medium", "high", "critical"] as const;
export type Risk = (typeof risks)[number];

/**
 * [P7] What may be done about an attempt whose end nobody saw:
 * natural: run it again; keyed: run it again with the call's key; probe: ask the outside system; none: nothing.
 */
export const idempotencies = ["natural", "keyed", "probe", "none"] as const;
export type Idempotency = (typeof idempotencies)[number];

/** What a capability promises: data, the same for every process and for a reader without our code. */
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
  /** Who asked carries it out itself; not there where Paraph does. */
  readonly performer?: "agent";
  /** Made of governed calls of other capabilities; not there where it is not. */
  readonly composite?: true;
}

/** The part of a name before its first dot: `files` in `files.write`. */
export function adapterName(contract: Pick<Contract, "name">): string {
  return contract.name.slice(0, contract.name.indexOf("."));
}
