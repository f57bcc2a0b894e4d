import { setTimeout as sleep } from "node:timers/promises";
import type { JsonObject, Principal } from "@paraph/core";
import type { Pool } from "pg";
import { listAdapterPolls, listObservations, readObservationHead } from "../postgres/index.ts";
import type { ParaphService } from "./paraph-service.ts";

/** An observation as stored. */
export interface ObservationView {
  /** The number of this observation within the tenant. Numbers follow the order in which observations are stored. */
  readonly seq: number;
  readonly adapter: string;
  /** The id of the observation in the external system. */
  readonly id: string;
  readonly kind: string;
  readonly subject: string;
  /** The time of the event by the external system's clock, if that system reports it. */
  readonly at?: number;
  readonly observedAt: number;
  /** Missing if the data was too large to keep. */
  readonly data?: JsonObject;
}

/** The filter of a list of observations. The list has at most `limit` observations. */
export interface ObservationFilter {
  readonly adapter?: string;
  readonly kind?: string;
  readonly subject?: string;
  readonly since?: number;
  /** Only observations after this number. If it is unset, the page holds the newest observations. */
  readonly after?: number;
  readonly limit: number;
}

/** A page of observations. */
export interface ObservationListPage {
  /** Oldest first. */
  readonly observations: readonly ObservationView[];
  /** The number after which the next page continues. It is present even if there are no more observations now. */
  readonly next: number;
}

/** The state of polling one adapter for a tenant. */
export interface PollView {
  readonly adapter: string;
  readonly polledAt?: number;
  readonly nextAt: number;
  /** The number of consecutive failures. `code` is the code of the last failure. */
  readonly failures: number;
  readonly code?: string;
}

/** The service that reads observations, for principals who may read them. */
export interface ObservationService {
  list(reader: Principal, filter: ObservationFilter): Promise<ObservationListPage>;
  /**
   * Resolves when an observation with a higher number than `after` exists, when `ms` milliseconds have passed, or when
   * the signal aborts.
   */
  waitForMore(reader: Principal, after: number, ms: number, signal: AbortSignal): Promise<void>;
  listPolls(reader: Principal): Promise<readonly PollView[]>;
}

/** The interval between two polls for a waiting reader. Each poll is one query by key. */
const pollMs = 1_000;

/** Creates the service that reads observations for the HTTP API and MCP. */
export function createObservationService(app: Pool): ParaphService["observations"] {
  return {
    list: (reader, filter) => listObservations(app, reader, filter),
    async waitForMore({ tenant }, after, ms, signal) {
      const end = performance.now() + ms;
      while (!signal.aborted && (await readObservationHead(app, tenant)) <= after) {
        const left = end - performance.now();
        if (left <= 0) return;
        await sleep(Math.min(pollMs, left), undefined, { signal }).catch(() => {});
      }
    },
    listPolls: (reader) => listAdapterPolls(app, reader),
  };
}
