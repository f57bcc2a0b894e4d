import { once } from "node:events";
import { createWriteStream } from "node:fs";
import { readFile } from "node:fs/promises";
import type { Call, Envelope, FreezeKind, PublicKey, RecordedEvent } from "@paraph/core";
import type { OracleRecord, WebhookRecord } from "../oracle/oracle.ts";
import type { UserAction } from "../user-action.ts";

/**
 * The records of one run by the client, the oracle and the ledger. They are enough to check the run again without any
 * server.
 */
export interface LabHistory {
  readonly meta: HistoryMeta;
  readonly client: readonly ClientRecord[];
  readonly oracle: readonly OracleRecord[];
  readonly ledger: readonly LedgerCall[];
  /** The lock and waiter rows that were left at the end. */
  readonly leftovers: readonly {
    readonly kind: "lock" | "waiter";
    readonly key: string;
    readonly call: string | null;
  }[];
  /** The final state of limits and grants. */
  readonly gates?: GateState;
  /** The freezes of the run. `written` holds the events with their transactions. */
  readonly freezes?: readonly FreezeRecord[];
  readonly written?: readonly WrittenEvent[];
  readonly messages?: readonly { readonly id: string; readonly call: string; readonly at: number }[];
  /** Every webhook that arrived, if the run sent any. */
  readonly hooks?: readonly WebhookRecord[];
  /** All observations in order, if the run polled for any. */
  readonly observed?: readonly ObservedEffect[];
}

/** An observation. `id` is the number of the effect at the oracle, and `subject` is the call that caused it. */
export interface ObservedEffect {
  readonly seq: number;
  readonly id: string;
  readonly subject: string;
}

export interface GateState {
  readonly usage: readonly { readonly key: string; readonly used: number }[];
  readonly reservations: readonly {
    readonly call: string;
    readonly key: string;
    readonly kind: "money" | "concurrency";
    readonly amount: number;
  }[];
  /**
   * The grants of the run. `intents` and `amount` count the intents that used the grant, except those that were
   * definitely not performed.
   */
  readonly grants: readonly {
    readonly id: string;
    readonly bounds: string;
    readonly countLeft: number;
    readonly amountLeft: number | null;
    readonly intents: number;
    readonly amount: number;
  }[];
}

/**
 * A freeze as the administrator's client recorded it, with times from the client's clock and transaction numbers from
 * PostgreSQL.
 */
export interface FreezeRecord {
  readonly id: string;
  readonly kind: FreezeKind;
  readonly subject: string;
  readonly askedAt: number;
  readonly answeredAt: number;
  /** The time at which the thaw was requested. Calls may go on from then. */
  readonly thawAskedAt: number;
  readonly inFlight: readonly string[];
  readonly xid: number;
  /** The lowest number of any transaction that begins to write after the freeze returned. */
  readonly nextXid: number;
  readonly thawXid: number;
}

/** An event with the transaction that wrote it. */
export interface WrittenEvent {
  readonly call: string;
  readonly seq: number;
  readonly kind: RecordedEvent["kind"];
  readonly xid: number;
}

export interface HistoryMeta {
  readonly run: string;
  readonly seed: number;
  readonly startedAt: number;
  /** The number of successes that a run needs to prove anything. */
  readonly minSucceeded: number;
  /** Whether PostgreSQL's clock was moved, so that times from different sources cannot be compared. */
  readonly timeless?: boolean;
  readonly keys: readonly PublicKey[];
  readonly [more: string]: unknown;
}

/** A response that a client received. */
export type ClientRecord =
  | {
      readonly kind: "answered";
      readonly at: number;
      readonly key: string;
      readonly capability: string;
      readonly status: number;
      readonly call?: string;
      readonly state?: string;
      readonly outcome?: string;
      /** The error code, if the response is a problem. */
      readonly code?: string;
    }
  | {
      readonly kind: "decided";
      readonly at: number;
      readonly approval: string;
      readonly decision: "approve" | "deny" | "return";
      readonly digest: string;
      readonly status: number;
    }
  | {
      readonly kind: "did";
      readonly at: number;
      readonly deed: UserAction;
      readonly status: number;
      /** The call or the message that the response contains. */
      readonly call?: string;
      readonly message?: string;
    };

export type LedgerCall = Omit<Call, "events"> & {
  readonly events: readonly RecordedEvent[];
  readonly receipts: readonly Envelope[];
  /** The signed resolutions of the call. */
  readonly findings?: readonly Envelope[];
};

export async function writeHistory(file: string, history: LabHistory): Promise<void> {
  const out = createWriteStream(file);
  const line = (source: string, value: unknown) => out.write(`${JSON.stringify({ source, value })}\n`);
  line("meta", history.meta);
  for (const record of history.client) line("client", record);
  for (const record of history.oracle) line("oracle", record);
  for (const call of history.ledger) line("ledger", call);
  for (const row of history.leftovers) line("leftovers", row);
  if (history.gates) line("gates", history.gates);
  for (const freeze of history.freezes ?? []) line("freezes", freeze);
  for (const row of history.written ?? []) line("written", row);
  for (const message of history.messages ?? []) line("messages", message);
  for (const record of history.hooks ?? []) line("hooks", record);
  for (const row of history.observed ?? []) line("observed", row);
  out.end();
  await once(out, "finish");
}

export async function readHistory(file: string): Promise<LabHistory> {
  const lines = (await readFile(file, "utf8")).split("\n").filter((text) => text !== "");
  const of = (wanted: string) => parsed.filter(({ source }) => source === wanted).map(({ value }) => value);
  const parsed = lines.map((text) => JSON.parse(text) as { source: string; value: never });
  return {
    meta: of("meta")[0]!,
    client: of("client"),
    oracle: of("oracle"),
    ledger: of("ledger"),
    leftovers: of("leftovers"),
    ...(of("gates").length > 0 && { gates: of("gates")[0]! }),
    freezes: of("freezes"),
    written: of("written"),
    messages: of("messages"),
    ...(of("hooks").length > 0 && { hooks: of("hooks") }),
    ...(of("observed").length > 0 && { observed: of("observed") }),
  };
}
