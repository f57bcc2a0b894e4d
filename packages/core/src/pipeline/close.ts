import type { Call, PayloadName } from "../call.ts";
import type { Tokens } from "../capability/capability.ts";
import type { ClosedDetails, NewEvent } from "../event.ts";
import type { Json } from "../json.ts";
import type { OutcomeKind } from "../outcome.ts";
import type { ClosingOutcome } from "../outcome-codes/outcome-codes.ts";
import type { Ports } from "../ports.ts";
import { commitment } from "../receipts/digest.ts";
import { issueReceipt, type ReceiptPredicate } from "../receipts/receipt.ts";
import { findDoubtSince } from "../restore-doubt.ts";
import type { NewPayload, Transition } from "../store.ts";
import { mergePayloads, numberEvents } from "./transition.ts";

/**
 * Returns the total duration of a call's attempts, without the waits between them. A composite acts through its steps,
 * so its duration runs from its beginning to its end.
 */
export function sumPerformedMs(events: readonly NewEvent[], at: number): number {
  const began = events.find(({ kind }) => kind === "began");
  if (began) return Math.max(0, at - began.at);
  const ended = events.flatMap(({ kind, data }) => (kind === "attempted" ? [data.ms] : []));
  return ended.reduce((sum, ms) => sum + ms, 0);
}

/** The end of a call, and what to record with it. */
export interface CallClose {
  readonly outcome: ClosingOutcome;
  readonly events?: readonly NewEvent[];
  readonly payloads?: readonly NewPayload[];
  readonly endAttempt?: Transition["endAttempt"];
  readonly closeRound?: Transition["closeRound"];
  readonly vote?: Transition["vote"];
  /** Details of the reason, as ids and numbers. */
  readonly about?: ClosedDetails;
  /** For a composite, its steps and their receipts. */
  readonly children?: ReceiptPredicate["children"];
  /** The cost in minor units. Undefined if the call had no effect. */
  readonly spent?: number;
  readonly tokens?: Tokens | undefined;
}

/**
 * [P2] Returns the transition that closes a call: outcome, closing event, receipt and freed locks together. Every call
 * ends with this transition.
 */
export async function closeCall(call: Call, given: CallClose, ports: Ports): Promise<Transition> {
  const end = { ...given, outcome: outcomeInDoubt(call, given.outcome, ports) };
  const at = ports.clock.now();
  const payloads = end.payloads ?? [];
  const told = [...call.events, ...(end.events ?? [])];
  const ms = sumPerformedMs(told, at);
  const closed: NewEvent = {
    kind: "closed",
    at,
    data: {
      outcome: end.outcome.kind,
      code: end.outcome.code,
      ms,
      ...(end.tokens && { tokens: end.tokens }),
      ...end.about,
      ...commitPayloads(payloads),
    },
  };
  const events = [...(end.events ?? []), closed];
  const receipt = await issueReceipt(
    call,
    {
      outcome: end.outcome,
      attempts: told.filter(({ kind }) => kind === "attempted").length,
      durationMs: ms,
      events: [...call.events, ...numberEvents(call, events)],
      payloads: mergePayloads(call.payloads, payloads),
      ...(end.children && { children: end.children }),
    },
    ports.signer,
  );
  const locked = call.events.findLast(({ kind }) => kind === "locked");
  if (locked)
    ports.telemetry.measure("paraph.lock.hold.seconds", (at - locked.at) / 1_000, {
      capability: call.capability,
    });
  ports.telemetry.measure("paraph.call.outcomes", 1, {
    outcome: end.outcome.kind,
    capability: call.capability,
  });
  return {
    state: "closed",
    nextAt: undefined,
    outcome: end.outcome,
    events,
    payloads,
    receipt,
    // [P7] A call with an unknown outcome keeps its locks until a person or a probe resolves it. A queued call holds no
    // locks and only leaves the queue.
    unlock: (end.outcome.kind !== "unknown" || call.state === "queued") && call.lockKeys.length > 0,
    ...(hasReservation(call) && {
      settle: { spent: end.outcome.kind === "unknown" ? "unknown" : (end.spent ?? 0) },
    }),
    ...(end.endAttempt && { endAttempt: end.endAttempt }),
    ...(end.closeRound && { closeRound: end.closeRound }),
    ...(end.vote && { vote: end.vote }),
  };
}

/** The outcomes that tell people that the call had no effect. A superseded call passes on to its successor. */
const outcomesWithoutEffect: readonly OutcomeKind[] = ["refused", "denied", "expired", "cancelled", "failed"];

/**
 * [P7] Returns the outcome of a call that may have acted before the database was restored. No outcome may claim that such
 * a call had no effect.
 */
function outcomeInDoubt(call: Call, outcome: ClosingOutcome, ports: Ports): ClosingOutcome {
  if (!outcomesWithoutEffect.includes(outcome.kind) || findDoubtSince(call) === undefined) return outcome;
  const capability = ports.catalog.find(call.tenant, call.capability);
  const isRead = capability?.contractDigest === call.contractDigest && capability.contract.effect === "read";
  return isRead ? outcome : { kind: "unknown", code: "restored" };
}

/** Returns whether an intent of the call reserved money or a place under a limit. */
export function hasReservation({ events }: Call): boolean {
  return events.some(({ kind, data }) => kind === "intended" && data.reserved === true);
}

/** Returns a payload with a new salt. */
export function createPayload(name: PayloadName, value: Json, ports: Ports): NewPayload {
  return { name, salt: ports.random.salt(), value };
}

/** Returns the commitments to payloads, as event data. */
export function commitPayloads(payloads: readonly NewPayload[]): Record<string, string> {
  return Object.fromEntries(payloads.map(({ name, salt, value }) => [name, commitment(salt, value)]));
}
