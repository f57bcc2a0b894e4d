import { cloudEventType } from "@paraph/core";
import { createViolation, type HistoryIndex, type Violation } from "./history-index.ts";

/** Checks that every event was delivered at least once under its own id, and that repetitions were identical. */
export function webhooksAreDelivered({ ledger, hooks }: HistoryIndex): Violation[] {
  if (!hooks) return [];
  const arrived = Map.groupBy(hooks, ({ id }) => id);
  const events = ledger.flatMap(({ call, events }) => events.map((event) => ({ call, event })));
  const known = new Set(events.map(({ call, event }) => `${call}_${event.seq}`));
  const untrue = hooks
    .filter(({ id }) => !known.has(id))
    .map(({ id }) => createViolation("webhooks", id, "was told and never happened"));
  return [
    ...untrue,
    ...events.flatMap(({ call, event }) => {
      const told = arrived.get(`${call}_${event.seq}`) ?? [];
      const name = `event ${event.seq} (${event.kind})`;
      if (!told.some(({ verdict }) => verdict === "taken"))
        return [createViolation("webhooks", call, `${name} was never told`)];
      if (told.some(({ type }) => type !== cloudEventType(event)))
        return [createViolation("webhooks", call, `${name} was told as another`)];
      return new Set(told.map(({ digest }) => digest)).size > 1
        ? [createViolation("webhooks", call, `${name} was told in two ways`)]
        : [];
    }),
  ];
}
