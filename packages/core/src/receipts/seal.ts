import type { Call, CallRef } from "../call.ts";
import type { Event, EventKind, NewEvent } from "../event.ts";
import type { Json } from "../json.ts";
import { canonical } from "./digest.ts";

/** [TRUST 32] Seals texts with a key that is kept outside the database, and recognises its seals. */
export interface Sealer {
  seal(text: string): string;
  isSealed(text: string, seal: string): boolean;
}

/** Events that a later effect relies on. Only processes that hold the sealing key can write them. */
const sealedKinds: ReadonlySet<EventKind> = new Set<EventKind>([
  ...(["accepted", "checked", "asked", "voted", "escalated", "handed-over"] as const),
  ...(["covered", "began", "intended"] as const),
]);

type Sealed = CallRef & Pick<Call, "events">;

/**
 * The event with its seal. The seal binds the tenant, the call, everything that the event says, and the seal before it:
 * a sealed event cannot be moved to another call, repeated, reordered, or removed from between two others.
 */
export function sealEvent(call: Sealed, event: NewEvent, sealer: Sealer): NewEvent {
  const seal = sealer.seal(sealedText(call, event, lastSeal(call.events)));
  return { ...event, data: { ...event.data, seal } };
}

/** Several events of one move, in order: those that need a seal get theirs. */
export function sealEvents(call: Sealed, events: readonly NewEvent[], sealer: Sealer): NewEvent[] {
  const sealed: NewEvent[] = [];
  for (const event of events) {
    const before = { ...call, events: [...call.events, ...(sealed as Event[])] };
    sealed.push(sealedKinds.has(event.kind) ? sealEvent(before, event, sealer) : event);
  }
  return sealed;
}

/** The first event that should carry a seal and does not carry its own. */
export function findUnsealedEvent(call: Sealed, sealer: Sealer): Event | undefined {
  let before = "";
  for (const event of call.events) {
    if (!sealedKinds.has(event.kind)) continue;
    const { seal } = event.data;
    if (typeof seal !== "string" || !sealer.isSealed(sealedText(call, event, before), seal)) return event;
    before = seal;
  }
  return undefined;
}

function lastSeal(events: readonly Pick<Event, "kind" | "data">[]): string {
  const { seal } = events.findLast(({ kind }) => sealedKinds.has(kind))?.data ?? {};
  return typeof seal === "string" ? seal : "";
}

function sealedText({ tenant, call }: CallRef, { kind, at, data }: NewEvent, before: string): string {
  const { seal: _own, ...told } = data;
  return sealableText("event", { tenant, call, kind, at, data: told, before });
}

/** Builds the text to seal. The purpose keeps the seal of one kind of record from counting for another kind. */
export function sealableText(purpose: "event" | "grant", record: Json): string {
  return canonical({ purpose, version: 1, record });
}
