import { type RecordedEvent, toRecorded } from "@paraph/core";
import type { ModelStore } from "@paraph/core/testing";
import { type Activity, type ActivityKind, formatActivityCursor } from "../../services/activity.ts";
import type { ParaphService } from "../../services/paraph-service.ts";

/**
 * Lists activity from the model store. Tests use it for the route and its formats. The SQL queries have their own
 * tests.
 */
export function createTestActivity(store: ModelStore): ParaphService["listActivity"] {
  return async (reader, own, { call, kinds, principal, outcome, before, limit }) => {
    const all = store
      .calls()
      .filter(({ tenant }) => tenant === reader.tenant)
      .flatMap(({ call, capability, principal, events }) =>
        toRecorded(events).flatMap((event): (Activity & { seq: number })[] => {
          const kind = toActivityKind(event);
          const { by, round, as, outcome, code, declined } = event.data as never;
          const told = { by, round, as, outcome, code, declined };
          const known = Object.entries(told).filter(([, value]) => value !== undefined);
          if (!kind) return [];
          const { at, seq } = event;
          const base = { id: `${call}.${seq}`, at, seq, kind, call, capability, principal: principal.id };
          return [{ ...base, ...(Object.fromEntries(known) as object) }];
        }),
      )
      .filter((entry) => !own || entry.principal === reader.id || entry.by === reader.id)
      .filter((entry) => call === undefined || entry.call === call)
      .filter((entry) => principal === undefined || entry.principal === principal || entry.by === principal)
      .filter((entry) => kinds === undefined || kinds.includes(entry.kind))
      .filter((entry) => outcome === undefined || entry.outcome === outcome)
      .sort((a, b) => b.at - a.at || Number(a.call < b.call) - Number(a.call > b.call) || b.seq - a.seq);
    const from = before
      ? all.findIndex((entry) => formatActivityCursor(entry) === formatActivityCursor(before)) + 1
      : 0;
    const page = all.slice(from, from + limit);
    const last = page.length === limit ? page.at(-1) : undefined;
    return {
      activity: page.map(({ seq: _, ...entry }) => entry),
      ...(last && { next: { at: last.at, call: last.call, seq: last.seq } }),
    };
  };
}

function toActivityKind({ kind, data }: RecordedEvent): ActivityKind | undefined {
  if (kind === "asked") return "ask";
  if (kind === "voted") return data.decision as ActivityKind;
  if (kind !== "closed") return undefined;
  return data.outcome === "succeeded" ? "apply" : "end";
}
