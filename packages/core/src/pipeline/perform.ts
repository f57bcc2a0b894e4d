import { type Attempt, type Call, previewOf } from "../call.ts";
import type { Capability } from "../capability.ts";
import type { NewEvent } from "../event.ts";
import type { Json } from "../json.ts";
import type { Gate, Move, Ports, Stop } from "../ports.ts";
import type { Allow } from "../ruling.ts";
import { sealEvent } from "../seal.ts";
import { apply } from "./attempt.ts";
import { begin } from "./begin.ts";
import { conclusion, nextAttempt } from "./conclude.ts";
import { commitments } from "./ending.ts";
import { lost } from "./figures.ts";
import { gateFor, needsIntent, recorded, reserves } from "./judge.ts";
import { end, type Look, lookAgain } from "./look-again.ts";
import {
  after,
  commit,
  commitAfterEffect,
  commitGated,
  type Moved,
  type Rest,
  rest,
  resting,
  type Stopped,
} from "./move.ts";
import { offer } from "./offer.ts";
import { park } from "./park.ts";

/** lock ─▶ look again ─▶ intent ─▶ apply + outcome + unlock + receipt */
export async function perform(call: Call, capability: Capability, ports: Ports): Promise<Rest> {
  // What is parked was perhaps thawed a moment ago, which only the store knows by now: its gate decides.
  const frozen = call.state !== "parked" && ports.freezes.inForce(call.principal, capability.contract);
  if (frozen) return park(call, capability, frozen.id, ports);
  const locked = await lock(call, ports);
  if (locked.kind === "rest") return locked;
  if (capability.contract.performer) return offer(locked.call, capability, ports);
  if (capability.compose)
    return lookAndAct(locked.call, capability, ports, (looked) => begin(looked, capability, ports));
  return lookAndAct(locked.call, capability, ports, (looked) => {
    const because = looked.judged.ruling;
    const gate = gateFor(looked.call, capability, because, ports);
    return needsIntent(capability, gate)
      ? act(looked.call, capability, { ...looked, because }, ports)
      : readNow(looked, capability, gate, ports);
  });
}

/** Looks again until what was looked at is what the intent is written on: policy, grants and budgets may change between. */
export async function lookAndAct(
  call: Call,
  capability: Capability,
  ports: Ports,
  go: (looked: Look) => Promise<Rest | Stopped>,
): Promise<Rest> {
  for (let turn = 1; turn <= mostTurns; turn += 1) {
    const looked = await lookAgain(call, capability, ports);
    if (looked.kind === "rest") return looked;
    const acted = await go(looked);
    if (acted.kind === "rest") return acted;
    const { stop } = acted;
    if (stop.reason === "frozen") return park(call, capability, stop.freeze.id, ports);
    if (stop.reason === "limit-reached") return beyond(call, capability, stop, ports);
    if (stop.reason === "policy-changed") await ports.policy.refresh(call.tenant);
  }
  // Policy changes faster than this call can follow: the sweeper has it looked at again.
  return rest(call);
}

const mostTurns = 5;

/** A read that had to wait and uses nothing up writes no intent, but stands before the same gate. */
async function readNow(
  looked: Look,
  capability: Capability,
  gate: Gate,
  ports: Ports,
): Promise<Rest | Stopped> {
  const { call, basis } = looked;
  const { event, payload } = recorded(looked.judged, ports);
  const nextAt = ports.clock.now() + capability.contract.timeoutMs + ports.settings.sweepGraceMs;
  const move: Move = {
    ...{ state: "ready", nextAt, events: [event], payloads: [payload], gate },
    segment: "runs",
  };
  const passed = await commitGated(call, move, ports);
  if (passed.kind !== "on") return passed;
  const deadline = ports.clock.now() + capability.contract.timeoutMs;
  return carryOut(passed.call, capability, { basis, attempt: nextAttempt(call), deadline }, ports);
}

/**
 * A budget that is used up refuses. A place that is taken is waited for, and whoever leaves it wakes the next in line. That
 * the call waits is said once, however often it looks in vain.
 */
async function beyond(
  call: Call,
  capability: Capability,
  { kind, limit }: Extract<Stop, { reason: "limit-reached" }>,
  ports: Ports,
): Promise<Rest> {
  if (kind !== "concurrency") return end(call, "refused", "limit-reached", ports, { limit });
  const at = ports.clock.now();
  const awaited = gateFor(call, capability, "again", ports).limits.find(({ id }) => id === limit);
  const move: Move = {
    state: "delayed",
    nextAt: at + placeMs,
    events: waitsForPlace(call) ? [] : [{ kind: "delayed", at, data: { limit, waitMs: placeMs } }],
    unlock: call.lockKeys.length > 0,
    ...(awaited && { waitFor: awaited }),
  };
  // No timer is sent: the sweeper's look and one of our own would each start another.
  const moved = await commit(call, move, ports);
  return rest(moved.call, moved.wakes);
}

/** Delayed until a place is free, not for a time: any message may be the one that says so. */
export function waitsForPlace({ state, events }: Call): boolean {
  return state === "delayed" && events.findLast(({ kind }) => kind === "delayed")?.data.limit !== undefined;
}

/** Whoever leaves a place wakes who waits for it; this is for a message that got lost. */
const placeMs = 60_000;

/** Writes the intent, then acts. An earlier attempt whose end nobody saw is closed in the same transaction. */
export async function act(
  call: Call,
  capability: Capability,
  going: { basis: Json | undefined; because: Allow | "again"; payloads?: Move["payloads"]; lost?: Attempt },
  ports: Ports,
): Promise<Rest | Stopped> {
  const move = intention(call, capability, going, ports);
  const intended = await commitGated(call, { ...move, segment: "runs" }, ports);
  if (intended.kind !== "on") return intended;
  const { attempt, deadline } = move.intent;
  return carryOut(intended.call, capability, { basis: going.basis, attempt, deadline }, ports);
}

/** "About to act": what is on record before an effect. */
export function intention(
  call: Call,
  capability: Capability,
  going: { because: Allow | "again"; payloads?: Move["payloads"]; lost?: Attempt; ticket?: string },
  ports: Ports,
): Move & Required<Pick<Move, "intent">> {
  const at = ports.clock.now();
  const attempt = nextAttempt(call);
  const deadline = at + capability.contract.timeoutMs;
  const reason =
    going.because === "again"
      ? { ruling: "again" }
      : {
          policies: going.because.policies,
          version: going.because.version,
          ...(going.because.grant && { grant: going.because.grant.id }),
        };
  const performer = capability.contract.performer && { performer: capability.contract.performer };
  const gate = gateFor(call, capability, going.because, ports);
  const intended: NewEvent = {
    kind: "intended",
    at,
    data: {
      ...{ attempt, deadline },
      ...reason,
      ...(reserves(gate) && { reserved: true }),
      ...performer,
      ...(going.ticket !== undefined && { ticket: going.ticket }),
      ...commitments(going.payloads ?? []),
    },
  };
  return {
    state: "performing",
    nextAt: deadline + ports.settings.sweepGraceMs,
    events: [...lost(going.lost, "process-died", at), sealEvent(call, intended, ports.sealer)],
    intent: { attempt, at, deadline, ...performer },
    gate,
    ...(going.payloads && { payloads: going.payloads }),
    ...(going.lost && { endAttempt: { attempt: going.lost.number, as: "lost" } }),
  };
}

/** Goes on from an intent that this process has just written. */
export async function carryOn(call: Call, capability: Capability, ports: Ports): Promise<Rest> {
  const { number: attempt, deadline } = call.attempts.at(-1)!;
  return carryOut(call, capability, { basis: previewOf(call)?.basis, attempt, deadline }, ports);
}

async function carryOut(
  call: Call,
  capability: Capability,
  run: { basis: Json | undefined; attempt: number; deadline: number },
  ports: Ports,
): Promise<Rest> {
  const started = ports.clock.now();
  const result = await apply(call, capability, run, ports);
  const ran = { attempt: run.attempt, started };
  return resting(
    await commitAfterEffect(call, () => conclusion(call, capability, result, ran, ports), ports),
  );
}

/** All keys together, or a place in their queues: the call that frees the last of them wakes this one. */
async function lock(call: Call, ports: Ports): Promise<Moved> {
  if (call.lockKeys.length === 0) return { kind: "on", call, wakes: [] };
  const now = ports.clock.now();
  const heldNextAt = now + ports.settings.sweepGraceMs;
  const { tenant, epoch } = call;
  const locked = await ports.store.lock({
    tenant,
    call: call.call,
    epoch,
    heldNextAt,
    queuedNextAt: now + 60_000,
  });
  if (locked.kind !== "held") return rest(call);
  if (!locked.fresh) return { kind: "on", call, wakes: [] };
  const { at } = locked;
  const queued = call.events.findLast(({ kind }) => kind === "queued");
  ports.telemetry.measure("paraph.lock.wait.seconds", queued ? (at - queued.at) / 1_000 : 0, {
    capability: call.capability,
  });
  const event = { kind: "locked", at, data: { keys: call.lockKeys.length } } as const;
  return {
    kind: "on",
    call: after(call, { state: "ready", nextAt: heldNextAt, events: [event] }, locked.epoch),
    wakes: [],
  };
}
