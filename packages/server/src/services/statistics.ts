import type { OutcomeKind } from "@paraph/core";

export interface StatisticsFilter {
  readonly capability?: string;
  readonly principal?: string;
  /** Seven days ago unless given, and not before thirty. */
  readonly since?: number;
  readonly by: "capability" | "principal" | "both";
  readonly limit: number;
}

/** How the calls of one capability, one principal or both ended. */
interface GroupStatistics {
  readonly capability?: string;
  readonly principal?: string;
  readonly calls: number;
  readonly outcomes: Readonly<Partial<Record<OutcomeKind, number>>>;
  /** Of those that were performed: succeeded, failed or unknown. Not given: none was. */
  readonly successRate?: number;
  /** All attempts of a call together, as its receipt says: the waits between them are not counted. */
  readonly actingMs?: { readonly p50: number; readonly p95: number };
  /** From acceptance to the end, on average. */
  readonly meanMs: number;
  readonly retries: number;
  /** In minor units. */
  readonly spent: number;
  /** Of language models, as far as capabilities tell. */
  readonly tokens: { readonly input: number; readonly output: number };
}

export interface Statistics {
  /** From when on the calls are that ended. */
  readonly since: number;
  readonly groups: readonly GroupStatistics[];
  /** The last that failed or whose end nobody knows, newest first: codes, never what was said. */
  readonly errors: readonly {
    readonly call: string;
    readonly capability: string;
    readonly principal: string;
    readonly outcome: OutcomeKind;
    readonly code: string;
    readonly at: number;
  }[];
}
