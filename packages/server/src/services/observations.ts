import { setTimeout as sleep } from "node:timers/promises";
import type { Pool } from "pg";
import { listObservations, listPerceptions, observationHead } from "../postgres/index.ts";
import type { Service } from "./types/service-types.ts";

/** How often somebody who waits is looked after: one look by a key. */
const lookMs = 1_000;

/** What was observed, as the surfaces read it. */
export function observationsOver(app: Pool): Service["observations"] {
  return {
    list: (reader, filter) => listObservations(app, reader, filter),
    async more({ tenant }, after, ms, signal) {
      const end = performance.now() + ms;
      while (!signal.aborted && (await observationHead(app, tenant)) <= after) {
        const left = end - performance.now();
        if (left <= 0) return;
        await sleep(Math.min(lookMs, left), undefined, { signal }).catch(() => {});
      }
    },
    perceptions: (reader) => listPerceptions(app, reader),
  };
}
