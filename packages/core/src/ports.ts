import type { CallRef } from "./call.ts";
import type { Progress } from "./capability/capability.ts";
import type { Catalog } from "./capability/catalog.ts";
import type { Contract } from "./capability/contract.ts";
import type { Freeze } from "./freeze.ts";
import type { Policy } from "./policy/policy.ts";
import type { Principal } from "./principal.ts";
import type { CallLinks } from "./receipts/call-links.ts";
import type { Sealer } from "./receipts/seal.ts";
import type { Settings } from "./settings.ts";
import type { Store, Wake } from "./store.ts";

/** The dependencies of the pipeline. The pipeline reaches every external system through one of them. */
export interface Ports {
  readonly store: Store;
  readonly catalog: Catalog;
  readonly policy: Policy;
  readonly freezes: Freezes;
  readonly signer: Signer;
  readonly sealer: Sealer;
  readonly links: CallLinks;
  readonly clock: Clock;
  readonly random: Random;
  readonly credentials: Credentials;
  readonly telemetry: Telemetry;
  readonly settings: Settings;
  /** Publishes the progress of an attempt. Paraph does not wait for the delivery, so a message may be lost. */
  readonly progress?: (call: CallRef, attempt: number, progress: Progress) => void;
}

/**
 * This process's copy of the freezes in force, which is at most one second old. Only the store decides whether a freeze
 * applies. The copy only avoids previews and attempts that the store would reject.
 */
export interface Freezes {
  /** Returns a freeze that covers the call. It reads a freeze again before it returns it, because it may have ended. */
  inForce(principal: Principal, contract: Contract): Promise<Pick<Freeze, "id" | "kind"> | undefined>;
}

/** The engine, such as PostgreSQL or Restate, which brings due calls to workers. */
export interface Engine {
  send(wake: Wake): Promise<void>;
}

/** The signing key of receipts. */
export interface Signer {
  readonly keyId: string;
  sign(bytes: Uint8Array): Promise<Uint8Array>;
}

/**
 * The clock of this process, which follows the clock of the database. It stamps events and measures durations. Only
 * PostgreSQL decides when a wait ends.
 */
export interface Clock {
  now(): number;
  sleep(ms: number): Promise<void>;
  /** Returns a signal that aborts after `ms`. The caller calls `clear` when it no longer needs the signal. */
  deadline(ms: number): { readonly signal: AbortSignal; clear(): void };
}

/** The source of ids, salts and random numbers. */
export interface Random {
  /** Returns a new, time-ordered id with this prefix. */
  id(prefix: "call" | "ask" | "grant" | "freeze" | "message" | "delegation"): string;
  /** Returns sixteen unpredictable bytes in hex. */
  salt(): string;
  /** Returns a number that is uniform in [0, 1). */
  chance(): number;
}

/** The secrets of a tenant, by name. */
export interface Credentials {
  resolve(tenant: string, name: string): Promise<string>;
}

/** Spans and metrics. They carry names, numbers and codes only. */
export interface Telemetry {
  span<T>(name: string, about: SpanAttributes, body: () => Promise<T>): Promise<T>;
  measure(name: Measurement, value: number, about?: SpanAttributes): void;
}

/** The attributes of a span or a measurement. */
export type SpanAttributes = Readonly<Record<string, string | number | boolean | undefined>>;

/** The name of a metric. */
export type Measurement =
  | "executor.preview.count"
  | "executor.preview.seconds"
  | "executor.preview.failures"
  | "executor.execution_request.steps.count"
  | "executor.execution_request.preview.seconds"
  | "executor.execution_request.apply.seconds"
  | "paraph.headline.failures"
  | "paraph.call.outcomes"
  | "paraph.call.attempts"
  | "paraph.seal.failures"
  | "paraph.signature.failures"
  | "paraph.engine.registrations"
  | "paraph.policy.disagreements"
  | "paraph.http.requests"
  | "paraph.approval.wait.seconds"
  | "paraph.lock.wait.seconds"
  | "paraph.lock.hold.seconds"
  | "paraph.notices.sent"
  | "paraph.notices.failed";
