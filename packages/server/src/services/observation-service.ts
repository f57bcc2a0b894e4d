import { setTimeout as sleep } from "node:timers/promises";
import type { Pool } from "pg";
import { listAdapterPolls, listObservations, readObservationHead } from "../postgres/index.ts";
import type { ParaphService } from "./types/service-types.ts";

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
