import { type Call, previewOf } from "../call.ts";
import type { Capability, Preview } from "../capability.ts";
import { sameJson } from "../digest.ts";
import type { NewEvent } from "../event.ts";
import type { Json, JsonObject } from "../json.ts";
import type { Move, Ports, Stop } from "../ports.ts";
import type { Allow, Ask, Block } from "../ruling.ts";
import { asking, digestOf, mostRounds, previewPayload } from "./ask.ts";
import { apply, preview } from "./attempt.ts";
import { standingChecks } from "./check.ts";
import { attempted, conclusion } from "./conclude.ts";
import { commitments, ending } from "./ending.ts";
import { gateFor, type Judged, judge, recorded } from "./judge.ts";
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
  wake,
} from "./move.ts";

/** lock ─▶ look again ─▶ intent ─▶ apply + outcome + unlock + receipt */
export async function perform(call: Call, capability: Capability, ports: Ports): Promise<Rest> {
  // What is parked was perhaps thawed a moment ago, which only the store knows by now: its gate decides.
  const frozen = call.state !== "parked" && ports.freezes.inForce(call.principal, capability.contract);
  if (frozen) return park(call, frozen.id, ports);
  const locked = await lock(call, ports);
  if (locked.kind === "rest") return locked;
  return lookAndAct(locked.call, capability, ports);
}

/** Looks again until what was looked at is what the intent is written on: policy, grants and budgets may change between. */
async function lookAndAct(call: Call, capability: Capability, ports: Ports): Promise<Rest> {
  for (let turn = 1; turn <= mostTurns; turn += 1) {
    const looked = await lookAgain(call, capability, ports);
    if (looked.kind === "rest") return looked;
    const acted = await (capability.contract.effect === "read"
      ? readNow(looked, capability, ports)
      : act(looked.call, capability, { ...looked, because: looked.judged.ruling }, ports));
    if (acted.kind === "rest") return acted;
    const { stop } = acted;
    if (stop.reason === "frozen") return park(call, stop.freeze.id, ports);
    if (stop.reason === "limit-reached") return beyond(call, stop, ports);
    if (stop.reason === "policy-changed") await ports.policy.refresh(call.tenant);
  }
  // Policy changes faster than this call can follow: the sweeper has it looked at again.
  return rest(call);
}

const mostTurns = 5;

/** A read that had to wait writes no intent, but stands before the same gate. */
async function readNow(looked: Look, capability: Capability, ports: Ports): Promise<Rest | Stopped> {
  const { call, basis } = looked;
  const { event, payload } = recorded(looked.judged, ports);
  const gate = gateFor(call, capability, looked.judged.ruling, ports);
  const nextAt = ports.clock.now() + capability.contract.timeoutMs + ports.settings.sweepGraceMs;
  const move = { state: "ready", nextAt, events: [event], payloads: [payload], gate } as const;
  const passed = await commitGated(call, move, ports);
  if (passed.kind !== "on") return passed;
  const deadline = ports.clock.now() + capability.contract.timeoutMs;
  return carryOut(passed.call, capability, { basis, attempt: nextAttempt(call), deadline }, ports);
}

/** Frozen before its intent: nothing of it happens until it is thawed, and then it goes on by itself. */
async function park(call: Call, freeze: string, ports: Ports): Promise<Rest> {
  const at = ports.clock.now();
  const isParked = call.state === "parked";
  const move: Move = {
    state: "parked",
    nextAt: at + parkedMs,
    events: isParked ? [] : [{ kind: "parked", at, data: { freeze } }],
    unlock: call.lockKeys.length > 0,
  };
  return resting(await commit(call, move, ports));
}

/** A thaw wakes what it frees; this is for a message that got lost. */
const parkedMs = 10 * 60_000;

/** A budget that is used up refuses; a place that is taken is waited for, since whoever has it will leave it. */
async function beyond(
  call: Call,
  { kind, limit }: Extract<Stop, { reason: "limit-reached" }>,
  ports: Ports,
): Promise<Rest> {
  if (kind !== "concurrency") return end(call, "refused", "limit-reached", ports, { limit });
  const at = ports.clock.now();
  const waitMs = placeMs;
  const move: Move = {
    state: "delayed",
    nextAt: at + waitMs,
    events: [{ kind: "delayed", at, data: { limit, waitMs } }],
    unlock: call.lockKeys.length > 0,
  };
  return resting(await commit(call, move, ports));
}

const placeMs = 1_000;

/** Writes the intent, then acts. An earlier attempt whose end nobody saw is closed in the same transaction. */
export async function act(
  call: Call,
  capability: Capability,
  going: { basis: Json | undefined; because: Allow | "again"; payloads?: Move["payloads"]; lost?: number },
  ports: Ports,
): Promise<Rest | Stopped> {
  const move = intention(call, capability, going, ports);
  const intended = await commitGated(call, move, ports);
  if (intended.kind !== "on") return intended;
  const { attempt, deadline } = move.intent;
  return carryOut(intended.call, capability, { basis: going.basis, attempt, deadline }, ports);
}

/** "About to act": what is on record before an effect. */
export function intention(
  call: Call,
  capability: Capability,
  going: { because: Allow | "again"; payloads?: Move["payloads"]; lost?: number },
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
  const gate = gateFor(call, capability, going.because, ports);
  const reserves = gate.spend !== undefined || gate.limits.some(({ kind }) => kind !== "calls");
  const intended: NewEvent = {
    kind: "intended",
    at,
    data: {
      ...{ attempt, deadline },
      ...reason,
      ...(reserves && { reserved: true }),
      ...commitments(going.payloads ?? []),
    },
  };
  return {
    state: "performing",
    nextAt: deadline + ports.settings.sweepGraceMs,
    events: [
      ...(going.lost === undefined ? [] : [attempted({ attempt: going.lost }, "lost", "process-died", at)]),
      intended,
    ],
    intent: { attempt, at, deadline },
    gate,
    ...(going.payloads && { payloads: going.payloads }),
    ...(going.lost !== undefined && { endAttempt: { attempt: going.lost, as: "lost" } }),
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
  const move = await conclusion(call, capability, result, { attempt: run.attempt, started }, ports);
  return resting(await commitAfterEffect(call, move, ports));
}

function nextAttempt(call: Call): number {
  return (
    Math.max(
      0,
      ...call.events
        .filter(({ kind }) => kind === "attempted" || kind === "intended")
        .map(({ data }) => Number(data.attempt)),
    ) + 1
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

/** What the intent rests on: seen a moment ago, and allowed. */
interface Look {
  readonly kind: "on";
  readonly call: Call;
  readonly basis: Json | undefined;
  readonly judged: Judged<Allow>;
  readonly payloads: Move["payloads"];
}

/** [P5] What was approved is compared with the world as it is now, and policy is asked again with the real evidence. */
async function lookAgain(call: Call, capability: Capability, ports: Ports): Promise<Rest | Look> {
  const previewed = await preview(call, capability, capability.contract.timeoutMs, ports);
  if (previewed.kind === "fault") {
    // Looking has no effect, so whatever stopped it, nothing was performed.
    const kind = previewed.fault.kind === "permanent" ? "permanent" : "not-performed";
    const ran = { attempt: nextAttempt(call), started: ports.clock.now() };
    const fault = { kind: "fault", fault: { ...previewed.fault, kind } } as const;
    return resting(await commit(call, await conclusion(call, capability, fault, ran, ports), ports));
  }
  const moved = !sameJson(previewed.value?.basis, previewOf(call)?.basis);
  // While the basis stands, what people saw stands, to the letter.
  const current = moved ? previewed.value : previewOf(call);
  const standing = moved ? undefined : standingApproval(call, capability, ports);
  if (standing === "altered") return end(call, "refused", "approval-mismatch", ports);

  const checks = standingChecks(call, capability, current);
  const judged = await judge(
    call,
    capability,
    { preview: current, votes: standing?.votes ?? [], checks },
    ports,
  );
  const { ruling, request } = judged;
  const code = moved ? "basis-moved" : "not-applied-in-time";
  switch (ruling.kind) {
    case "allow":
      return {
        kind: "on",
        call,
        basis: current?.basis,
        judged: { ruling, request },
        payloads: [...previewPayload(call, current, ports), recorded(judged, ports).payload],
      };
    case "block":
      return refuse(call, { ruling, request }, ports);
    case "check":
      return checkAgain(call, judged, current, standing ? undefined : code, ports);
    case "ask":
      return askAgain(call, capability, { ruling, request }, current, code, ports);
  }
}

async function refuse(call: Call, judged: Judged<Block>, ports: Ports): Promise<Rest> {
  const { event, payload } = recorded(judged, ports);
  const { code } = judged.ruling;
  const move = await ending(
    call,
    { outcome: { kind: "refused", code }, events: [event], payloads: [payload], ...voiding(call) },
    ports,
  );
  return resting(await commit(call, move, ports));
}

/** Checks were for what was seen before: what is seen now is checked anew, before anybody is asked about it. */
async function checkAgain(
  call: Call,
  judged: Judged,
  current: Preview | undefined,
  code: string | undefined,
  ports: Ports,
): Promise<Rest> {
  const at = ports.clock.now();
  const { event, payload } = recorded(judged, ports);
  const move: Move = {
    state: "checking",
    nextAt: at + ports.settings.sweepGraceMs,
    events: [...(code === undefined ? [] : voided(call, code, at)), event],
    payloads: [...previewPayload(call, current, ports), payload],
    unlock: call.lockKeys.length > 0,
    ...(code !== undefined && voiding(call)),
  };
  const moved = await commit(call, move, ports);
  return moved.kind === "rest" ? moved : rest(moved.call, [...moved.wakes, wake(moved.call)]);
}

/** The approval in force, if one is: approved, for exactly these bytes, and not too long ago. */
export function standingApproval(
  call: Call,
  capability: Capability,
  ports: Ports,
): Call["approval"] | "altered" {
  const { approval } = call;
  if (approval?.status !== "approved") return undefined;
  if (approval.digest !== digestOf(call, capability, previewOf(call))) return "altered";
  const decidedAt = Math.max(...approval.votes.map(({ at }) => at));
  return ports.clock.now() - decidedAt <= capability.contract.applyWithinMs ? approval : undefined;
}

async function askAgain(
  call: Call,
  capability: Capability,
  judged: Judged<Ask>,
  current: Preview | undefined,
  code: string,
  ports: Ports,
): Promise<Rest> {
  const now = ports.clock.now();
  if ((call.approval?.round ?? 0) >= mostRounds) return end(call, "refused", code, ports);
  if (call.deadline !== undefined && call.deadline <= now) return end(call, "expired", code, ports);
  const move = asking(call, capability, judged, current, ports);
  const moved = await commit(
    call,
    {
      ...move,
      ...voiding(call),
      events: [...voided(call, code, now), ...move.events],
      unlock: call.lockKeys.length > 0,
    },
    ports,
  );
  return resting(moved);
}

export function voiding(call: Call): Pick<Move, "closeRound"> {
  return call.approval?.status === "approved"
    ? { closeRound: { approval: call.approval.id, status: "void" } }
    : {};
}

function voided(call: Call, code: string, at: number): Move["events"] {
  if (call.approval?.status !== "approved") return [];
  return [{ kind: "round-closed", at, data: { round: call.approval.round, status: "void", code } }];
}

async function end(
  call: Call,
  kind: "refused" | "expired",
  code: string,
  ports: Ports,
  about: JsonObject = {},
): Promise<Rest> {
  const events = voided(call, code, ports.clock.now());
  return resting(
    await commit(
      call,
      await ending(call, { outcome: { kind, code }, events, about, ...voiding(call) }, ports),
      ports,
    ),
  );
}
