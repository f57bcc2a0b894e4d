import { type Call, previewOf } from "../call.ts";
import type { Capability, Preview } from "../capability.ts";
import { sameJson } from "../digest.ts";
import type { NewEvent } from "../event.ts";
import type { Json } from "../json.ts";
import type { Move, Ports } from "../ports.ts";
import { type Allow, type Ask, rule } from "../ruling.ts";
import { asking, digestOf, mostRounds, previewPayload, ruled } from "./ask.ts";
import { apply, inputOf, preview } from "./attempt.ts";
import { attempted, conclusion } from "./conclude.ts";
import { commitments, ending } from "./ending.ts";
import { after, commit, commitAfterEffect, type Moved, type Rest, rest, resting } from "./move.ts";

/** lock ─▶ look again ─▶ intent ─▶ apply + outcome + unlock + receipt */
export async function perform(call: Call, capability: Capability, ports: Ports): Promise<Rest> {
  const locked = await lock(call, ports);
  if (locked.kind === "rest") return locked;
  const looked = await lookAgain(locked.call, capability, ports);
  if (looked.kind === "rest") return looked;
  if (capability.contract.effect === "read")
    return carryOut(
      looked.call,
      capability,
      {
        basis: looked.basis,
        attempt: nextAttempt(call),
        deadline: ports.clock.now() + capability.contract.timeoutMs,
      },
      ports,
    );
  return act(
    looked.call,
    capability,
    { basis: looked.basis, because: looked.ruling, payloads: looked.payloads },
    ports,
  );
}

/** Writes the intent, then acts. An earlier attempt whose end nobody saw is closed in the same transaction. */
export async function act(
  call: Call,
  capability: Capability,
  going: { basis: Json | undefined; because: Allow | "again"; payloads?: Move["payloads"]; lost?: number },
  ports: Ports,
): Promise<Rest> {
  const move = intention(call, capability, going, ports);
  const intended = await commit(call, move, ports);
  if (intended.kind === "rest") return intended;
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
      : { policies: going.because.policies, version: going.because.version };
  const intended: NewEvent = {
    kind: "intended",
    at,
    data: { attempt, deadline, ...reason, ...commitments(going.payloads ?? []) },
  };
  return {
    state: "performing",
    nextAt: deadline + ports.settings.sweepGraceMs,
    events: [
      ...(going.lost === undefined ? [] : [attempted({ attempt: going.lost }, "lost", "process-died", at)]),
      intended,
    ],
    intent: { attempt, at, deadline },
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

type Looked =
  | Rest
  | {
      readonly kind: "on";
      readonly call: Call;
      readonly basis: Json | undefined;
      readonly ruling: Allow;
      readonly payloads: Move["payloads"];
    };

/** [P5] What was approved is compared with the world as it is now, and policy is asked again with the real evidence. */
async function lookAgain(call: Call, capability: Capability, ports: Ports): Promise<Looked> {
  const previewed = await preview(call, capability, capability.contract.timeoutMs, ports);
  if (previewed.kind === "fault") {
    // Looking has no effect, so whatever stopped it, nothing was performed.
    const kind = previewed.fault.kind === "permanent" ? "permanent" : "not-performed";
    const ran = { attempt: nextAttempt(call), started: ports.clock.now() };
    const move = await conclusion(
      call,
      capability,
      { kind: "fault", fault: { ...previewed.fault, kind } },
      ran,
      ports,
    );
    return resting(await commit(call, move, ports));
  }
  const moved = !sameJson(previewed.value?.basis, previewOf(call)?.basis);
  // While the basis stands, what people saw stands, to the letter.
  const current = moved ? previewed.value : previewOf(call);
  const standing = moved ? undefined : standingApproval(call, capability, ports);
  if (standing === "altered") return end(call, "refused", "approval-mismatch", ports);

  const subject = {
    principal: call.principal,
    contract: capability.contract,
    input: inputOf(call),
    preview: current,
  };
  const ruling = rule(ports.policy, subject, standing?.votes ?? []);
  switch (ruling.kind) {
    case "allow":
      return {
        kind: "on",
        call,
        basis: current?.basis,
        ruling,
        payloads: previewPayload(call, current, ports),
      };
    case "block":
      return resting(
        await commit(
          call,
          await ending(
            call,
            {
              outcome: { kind: "refused", code: ruling.code },
              events: [ruled(ruling, ports.clock.now())],
              ...voiding(call),
            },
            ports,
          ),
          ports,
        ),
      );
    case "ask":
      return askAgain(
        call,
        capability,
        ruling,
        current,
        moved ? "basis-moved" : "not-applied-in-time",
        ports,
      );
  }
}

/** The approval in force, if one is: approved, for exactly these bytes, and not too long ago. */
function standingApproval(call: Call, capability: Capability, ports: Ports): Call["approval"] | "altered" {
  const { approval } = call;
  if (approval?.status !== "approved") return undefined;
  if (approval.digest !== digestOf(call, capability, previewOf(call))) return "altered";
  const decidedAt = Math.max(...approval.votes.map(({ at }) => at));
  return ports.clock.now() - decidedAt <= capability.contract.applyWithinMs ? approval : undefined;
}

async function askAgain(
  call: Call,
  capability: Capability,
  ruling: Ask,
  current: Preview | undefined,
  code: string,
  ports: Ports,
): Promise<Rest> {
  const now = ports.clock.now();
  if ((call.approval?.round ?? 0) >= mostRounds) return end(call, "refused", code, ports);
  if (call.deadline !== undefined && call.deadline <= now) return end(call, "expired", code, ports);
  const move = asking(call, capability, ruling, current, ports);
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

function voiding(call: Call): Pick<Move, "closeRound"> {
  return call.approval?.status === "approved"
    ? { closeRound: { approval: call.approval.id, status: "void" } }
    : {};
}

function voided(call: Call, code: string, at: number): Move["events"] {
  if (call.approval?.status !== "approved") return [];
  return [{ kind: "round-closed", at, data: { round: call.approval.round, status: "void", code } }];
}

async function end(call: Call, kind: "refused" | "expired", code: string, ports: Ports): Promise<Rest> {
  const events = voided(call, code, ports.clock.now());
  return resting(
    await commit(
      call,
      await ending(call, { outcome: { kind, code }, events, ...voiding(call) }, ports),
      ports,
    ),
  );
}
