import { type Attempt, type Call, lastPreview } from "../../call.ts";
import type { Capability } from "../../capability/capability.ts";
import { lastEvent } from "../../event.ts";
import type { Json } from "../../json.ts";
import type { Allow } from "../../policy/ruling.ts";
import type { Ports } from "../../ports.ts";
import { isInDoubt } from "../../restore-doubt.ts";
import type { Gate, GateRejection, Transition } from "../../store.ts";
import { closeBeforeActing } from "../approval/approved-round.ts";
import { apply } from "../attempt/attempt.ts";
import { concludeAttempt, nextAttemptNumber } from "../attempt/conclude.ts";
import { createIntent } from "../attempt/intent.ts";
import { createGate, needsIntent } from "../gate.ts";
import { recordRuling } from "../ruling/rule.ts";
import {
  applyTransition,
  type CommitOutcome,
  commitAfterEffect,
  commitAtGate,
  commitTransition,
  type Rejected,
  type Rested,
  restCall,
  toRested,
} from "../transition.ts";
import { beginComposite } from "./begin-composite.ts";
import { offerToAgent } from "./offer.ts";
import { parkCall } from "./park.ts";
import { settleDoubt } from "./possible-effect.ts";
import { type Revalidated, revalidate } from "./revalidate.ts";

/** Performs a call: lock ─▶ revalidate ─▶ intent ─▶ apply + outcome + unlock + receipt */
export async function performCall(call: Call, capability: Capability, ports: Ports): Promise<Rested> {
  // Skips this check for a parked call, because the call may have been thawed since this process last loaded the
  // freezes. The store's gate decides instead.
  const frozen =
    call.state !== "parked" && (await ports.freezes.inForce(call.principal, capability.contract));
  if (frozen) return parkCall(call, capability, frozen.id, ports);
  const locked = await acquireLocks(call, ports);
  if (locked.kind === "rest") return locked;
  // The steps of a composite are calls of their own, and each of them settles its own doubt.
  if (capability.compose)
    return revalidateAndAct(locked.call, capability, ports, (revalidated) =>
      beginComposite(revalidated, capability, ports),
    );
  if (isInDoubt(locked.call, capability.contract))
    return settleDoubt(locked.call, capability, ports, (settled) => performOnce(settled, capability, ports));
  return performOnce(locked.call, capability, ports);
}

async function performOnce(call: Call, capability: Capability, ports: Ports): Promise<Rested> {
  if (capability.contract.performer) return offerToAgent(call, capability, ports);
  return revalidateAndAct(call, capability, ports, (revalidated) => {
    const because = revalidated.ruledCall.ruling;
    const gate = createGate(revalidated.call, capability, because, ports);
    return needsIntent(capability, gate)
      ? intendAndApply(revalidated.call, capability, { ...revalidated, because }, ports)
      : readAtGate(revalidated, capability, gate, ports);
  });
}

/**
 * Revalidates the call and acts on it. Repeats both if policy, grants or budgets changed before the intent was written.
 */
export async function revalidateAndAct(
  call: Call,
  capability: Capability,
  ports: Ports,
  go: (revalidated: Revalidated) => Promise<Rested | Rejected>,
): Promise<Rested> {
  for (let turn = 1; turn <= maxRevalidations; turn += 1) {
    const looked = await revalidate(call, capability, ports);
    if (looked.kind === "rest") return looked;
    const acted = await go(looked);
    if (acted.kind === "rest") return acted;
    const { stop } = acted;
    if (stop.reason === "frozen") return parkCall(call, capability, stop.freeze.id, ports);
    if (stop.reason === "limit-reached") return handleLimitReached(call, capability, stop, ports);
    if (stop.reason === "policy-changed") await ports.policy.refresh(call.tenant);
  }
  // Policy changes faster than this call can follow. The sweeper brings the call back later.
  return restCall(call);
}

const maxRevalidations = 5;

/**
 * Performs a read that had to wait and that uses up no money, place or grant. It writes no intent, but passes the same
 * gate as an intent.
 */
async function readAtGate(
  revalidated: Revalidated,
  capability: Capability,
  gate: Gate,
  ports: Ports,
): Promise<Rested | Rejected> {
  const { call, basis } = revalidated;
  const { event, payload } = recordRuling(revalidated.ruledCall, ports);
  const nextAt = ports.clock.now() + capability.contract.timeoutMs + ports.settings.sweepGraceMs;
  const move: Transition = {
    state: "ready",
    nextAt,
    events: [event],
    payloads: [payload],
    gate,
    segment: "runs",
  };
  const passed = await commitAtGate(call, move, ports);
  if (passed.kind !== "on") return passed;
  const deadline = ports.clock.now() + capability.contract.timeoutMs;
  return applyAndConclude(
    passed.call,
    capability,
    { basis, attempt: nextAttemptNumber(call), deadline },
    ports,
  );
}

/**
 * Refuses the call if a budget is used up. If a concurrency limit is reached, the call waits, and the call that frees a
 * place wakes the next one. The event `delayed` is written once, however often the call finds no place.
 */
async function handleLimitReached(
  call: Call,
  capability: Capability,
  { kind, limit }: Extract<GateRejection, { reason: "limit-reached" }>,
  ports: Ports,
): Promise<Rested> {
  if (kind !== "concurrency") return closeBeforeActing(call, "refused", "limit-reached", ports, { limit });
  const at = ports.clock.now();
  const awaited = createGate(call, capability, "again", ports).limits.find(({ id }) => id === limit);
  const move: Transition = {
    state: "delayed",
    nextAt: at + placeRecheckMs,
    events: isWaitingForPlace(call) ? [] : [{ kind: "delayed", at, data: { limit, waitMs: placeRecheckMs } }],
    unlock: call.lockKeys.length > 0,
    ...(awaited && { waitFor: awaited }),
  };
  // Adds no timer to the messages. Otherwise this process and the sweeper would each start a timer.
  const committed = await commitTransition(call, move, ports);
  return restCall(committed.call, committed.wakes);
}

/**
 * Returns whether the call waits for a free place rather than for a time. Any message may mean that a place is free.
 */
export function isWaitingForPlace({ state, events }: Call): boolean {
  return state === "delayed" && lastEvent(events, "delayed")?.data.limit !== undefined;
}

/**
 * The time after which a call that waits for a place checks again. The call that frees a place wakes it earlier, unless
 * that message gets lost.
 */
const placeRecheckMs = 60_000;

/** Writes the intent, then acts. The same transaction closes an earlier attempt whose end is not recorded. */
export async function intendAndApply(
  call: Call,
  capability: Capability,
  going: {
    basis: Json | undefined;
    because: Allow | "again";
    payloads?: Transition["payloads"];
    lost?: Attempt;
  },
  ports: Ports,
): Promise<Rested | Rejected> {
  const move = createIntent(call, capability, going, ports);
  const intended = await commitAtGate(call, { ...move, segment: "runs" }, ports);
  if (intended.kind !== "on") return intended;
  const { attempt, deadline } = move.intent;
  return applyAndConclude(intended.call, capability, { basis: going.basis, attempt, deadline }, ports);
}

/** Continues from an intent that this process has just written. */
export async function continueFromIntent(call: Call, capability: Capability, ports: Ports): Promise<Rested> {
  const { number, deadline } = call.attempts.at(-1)!;
  return applyAndConclude(
    call,
    capability,
    { basis: lastPreview(call)?.basis, attempt: number, deadline },
    ports,
  );
}

async function applyAndConclude(
  call: Call,
  capability: Capability,
  run: { basis: Json | undefined; attempt: number; deadline: number },
  ports: Ports,
): Promise<Rested> {
  const started = ports.clock.now();
  const result = await apply(call, capability, run, ports);
  const ran = { attempt: run.attempt, started };
  return toRested(
    await commitAfterEffect(call, () => concludeAttempt(call, capability, result, ran, ports), ports),
  );
}

/**
 * Acquires all lock keys together. If that fails, the call gets a place in the queue of each key. The call that frees
 * the last of the keys gives them to this one, or wakes it.
 */
async function acquireLocks(call: Call, ports: Ports): Promise<CommitOutcome> {
  if (call.lockKeys.length === 0) return { kind: "on", call, wakes: [] };
  if (hasJustLocked(call)) {
    measureLockWait(call, ports);
    return { kind: "on", call, wakes: [] };
  }
  const now = ports.clock.now();
  const heldNextAt = now + ports.settings.sweepGraceMs;
  const { tenant, epoch } = call;
  const taking = { tenant, call: call.call, epoch, heldNextAt, queuedNextAt: now + 60_000 };
  const locked = await ports.store.lock(taking);
  if (locked.kind !== "held") return restCall(call);
  if (!locked.fresh) return { kind: "on", call, wakes: [] };
  const event = { kind: "locked", at: locked.at, data: { keys: call.lockKeys.length } } as const;
  const held = applyTransition(call, { state: "ready", nextAt: heldNextAt, events: [event] }, locked.epoch);
  measureLockWait(held, ports);
  return { kind: "on", call: held, wakes: [] };
}

/**
 * Returns whether the call holds its keys and has done nothing since. Each transition that frees keys changes the state
 * or adds an event, and the epoch protects what follows.
 */
function hasJustLocked({ state, events }: Call): boolean {
  return state === "ready" && events.at(-1)?.kind === "locked";
}

function measureLockWait({ capability, events }: Call, ports: Ports): void {
  const queued = lastEvent(events, "queued");
  const locked = lastEvent(events, "locked");
  const waitedMs = queued && locked ? locked.at - queued.at : 0;
  ports.telemetry.measure("paraph.lock.wait.seconds", waitedMs / 1_000, { capability });
}
