import type { OutcomeKind } from "@paraph/core";

/** The calls to count, and how to group them. */
export interface StatisticsFilter {
  readonly capability?: string;
  readonly principal?: string;
  /** The start of the period (default: 7 days ago, earliest: 30 days ago). */
  readonly since?: number;
  readonly by: "capability" | "adapter" | "principal" | "both" | "hour" | "day";
  /** Only calls of this session of an agent. */
  readonly session?: string;
  readonly limit: number;
}

/** The statistics of a group of calls. The calls of a group have the fields in common that the filter names. */
interface GroupStatistics {
  readonly capability?: string;
  readonly adapter?: string;
  readonly principal?: string;
  /** The start of the hour in which the calls ended. */
  readonly hour?: number;
  /** The start of the day, in UTC, in which the calls ended. */
  readonly day?: number;
  readonly calls: number;
  readonly outcomes: Readonly<Partial<Record<OutcomeKind, number>>>;
  /**
   * The number of succeeded calls divided by the number of performed calls. A performed call succeeded, failed or ended
   * as unknown. Missing if no call was performed.
   */
  readonly successRate?: number;
  /**
   * The median and the 95th percentile of the time that all attempts of a call took together, as in its receipt. Waits
   * between attempts are excluded.
   */
  readonly actingMs?: { readonly p50: number; readonly p95: number };
  /** The average time from acceptance to outcome. */
  readonly meanMs: number;
  readonly retries: number;
  /** The amount spent, in minor units. */
  readonly spent: number;
  /** The number of language-model tokens used. It covers only capabilities that report their tokens. */
  readonly tokens: { readonly input: number; readonly output: number };
  /** Why calls did not succeed: the most frequent codes, at most five. */
  readonly codes: readonly {
    readonly outcome: OutcomeKind;
    readonly code: string;
    readonly calls: number;
    readonly lastAt: number;
  }[];
}

/** The outcomes of calls by group, with the last errors. */
export interface Statistics {
  /** The start of the period. Paraph counts the calls that ended since then. */
  readonly since: number;
  readonly groups: readonly GroupStatistics[];
  /** The last calls that failed or ended as unknown, newest first. They carry codes, never messages. */
  readonly errors: readonly {
    readonly call: string;
    readonly capability: string;
    readonly principal: string;
    readonly outcome: OutcomeKind;
    readonly code: string;
    readonly at: number;
  }[];
}
