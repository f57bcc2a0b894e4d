import type { Call, CallRef } from "../call.ts";
import { type Event, type NewEvent, type SealedKind, sealedKinds, type UnsealedEvent } from "../event.ts";
import type { Json } from "../json.ts";
import { canonical } from "./digest.ts";

/** [TRUST 32] A component that seals texts with a key from outside the database, and recognises its own seals. */
export interface Sealer {
  seal(text: string): string;
  isSealed(text: string, seal: string): boolean;
}

type Sealed = CallRef & Pick<Call, "events">;

/**
 * Returns the event with its seal. The seal binds the tenant, the call, all data of the event, and the seal before it.
 * A sealed event therefore cannot be moved to another call, repeated, reordered, or removed from between two others.
 */
export function sealEvent<Kind extends SealedKind>(
  call: Sealed,
  event: UnsealedEvent<Kind>,
  sealer: Sealer,
): NewEvent<Kind> {
  const seal = sealer.seal(textToSeal(call, event as UnsealedEvent<SealedKind>, lastSeal(call.events)));
  return { ...event, data: { ...event.data, seal } } as unknown as NewEvent<Kind>;
}

/** Returns the events of one transition in order, with seals on those that need one. */
export function sealEvents(call: Sealed, events: readonly UnsealedEvent[], sealer: Sealer): NewEvent[] {
  const sealed: NewEvent[] = [];
  for (const event of events) {
    const before = { ...call, events: [...call.events, ...(sealed as Event[])] };
    sealed.push(isOfSealedKind(event) ? sealEvent(before, event, sealer) : event);
  }
  return sealed;
}

/** Returns the first event that has no valid seal although its kind requires one. */
export function findUnsealedEvent(call: Sealed, sealer: Sealer): Event | undefined {
  let before = "";
  for (const event of call.events) {
    if (!isOfSealedKind(event)) continue;
    const { seal } = event.data;
    if (typeof seal !== "string" || !sealer.isSealed(textToSeal(call, event, before), seal)) return event;
    before = seal;
  }
  return undefined;
}

function lastSeal(events: readonly Event[]): string {
  const seal = events.findLast(isOfSealedKind)?.data.seal;
  return typeof seal === "string" ? seal : "";
}

function isOfSealedKind<E extends UnsealedEvent>(event: E): event is E & { readonly kind: SealedKind } {
  return (sealedKinds as readonly string[]).includes(event.kind);
}

function textToSeal(
  { tenant, call }: CallRef,
  { kind, at, data }: UnsealedEvent<SealedKind>,
  before: string,
): string {
  const { seal: _own, ...facts } = data as typeof data & { readonly seal?: string };
  return sealableText("event", { tenant, call, kind, at, data: facts as unknown as Json, before });
}

/** Builds the text to seal. The purpose keeps the seal of one kind of record from counting for another kind. */
export function sealableText(
  purpose: "event" | "grant" | "passkey" | "chat-account" | "chat-invitation" | "intent",
  record: Json,
): string {
  return canonical({ purpose, version: 1, record });
}
