import { type Call, type Child, previewOf } from "../call.ts";
import type { Capability } from "../capability.ts";
import { StepFailed } from "../composite.ts";
import { canonical } from "../digest.ts";
import { faultOf } from "../fault.ts";
import type { Json } from "../json.ts";
import type { Outcome } from "../outcome.ts";
import { ParaphError } from "../paraph-error.ts";
import { hiddenAmong, orderOf, undoOf } from "../plan/undo-plan.ts";
import type { Move, NewPayload, Ports, Wake } from "../ports.ts";
import { sealEvent } from "../seal.ts";
import { inputOf, withinContract } from "./attempt.ts";
import { composingMs } from "./begin.ts";
import { endOf, latest } from "./child-end.ts";
import { Composition, type Run, type RunChild } from "./composition.ts";
import { ending, payload } from "./ending.ts";
import { commit, type Rest, rest, wake } from "./move.ts";
import { park } from "./park.ts";
import { isWithdrawn, withdraw } from "./withdraw.ts";

/**
 * [P13] One segment of a composite: its code from the top, with what has ended answered from the rows, and each step it
 * comes to performed here as far as it goes. It rests when all that is left waits, and ends when its steps have.
 */
export async function compose(
  call: Call,
  capability: Capability | undefined,
  ports: Ports,
  runChild: RunChild,
): Promise<Rest> {
  const frozen = capability && ports.freezes.inForce(call.principal, capability.contract);
  if (frozen) return park(call, capability, frozen.id, ports);
  const children = await ports.store.children(call);
  if (isWithdrawn(call)) return abandon(call, children, { kind: "cancelled", code: "withdrawn" }, ports);
  // Half of it was done by other code, which this cannot go on for: what was done stands, and can be undone.
  if (!capability?.compose)
    return abandon(call, children, { kind: "failed", code: "contract-changed" }, ports);

  // [TRUST 29] Its code could not be answered from the rows: what was done stands, and each step can be undone by itself.
  if (children.some(({ withheld }) => withheld))
    return abandon(call, children, { kind: "failed", code: "steps-too-large" }, ports);

  const resumed = call.state === "composing" ? call : await resume(call, ports);
  if (!resumed) return lookAgainAt(call);
  const composition = new Composition(resumed, capability, children, ports, runChild);
  const came = await composition.run((composer) => capability.compose!(inputOf(call), composer));
  const { call: moved, wakes } = composition;
  if (composition.lost) return lookAgainAt(moved, wakes);
  const now = await ports.store.children(call);
  const isOver = came.kind !== "waiting" && latest(now).every(({ state }) => state === "closed");
  const rested = isOver
    ? await close(moved, now, verdict(capability, came, ports), ports)
    : await wait(moved, composition.soon, ports);
  return { ...rested, wakes: [...wakes, ...rested.wakes] };
}

/** Another segment has moved it on, which may not have seen what this one has. */
function lookAgainAt(call: Call, wakes: readonly Wake[] = []): Rest {
  return rest(call, [...wakes, wake(call)]);
}

/** Thawed, it goes on with its steps. */
async function resume(call: Call, ports: Ports): Promise<Call | undefined> {
  const at = ports.clock.now();
  const began = { kind: "began", at, data: { again: true } } as const;
  const events = [sealEvent(call, began, ports.sealer)];
  const moved = await commit(call, { state: "composing", nextAt: at + composingMs, events }, ports);
  return moved.kind === "on" ? moved.call : undefined;
}

/** Whoever ends a step wakes it; the sweeper looks less and less often for a message that got lost. */
async function wait(call: Call, soon: boolean, ports: Ports): Promise<Rest> {
  const now = ports.clock.now();
  if (soon) return rest(call, [wake(call)]);
  const idleMs = now - (call.events.at(-1)?.at ?? now);
  const nextAt = now + Math.min(Math.max(idleMs, composingMs), 10 * 60_000);
  if ((call.nextAt ?? 0) > now + composingMs / 2) return rest(call);
  const moved = await commit(call, { state: call.state, nextAt, events: [] }, ports);
  return moved.kind === "on" ? rest(moved.call, moved.wakes) : lookAgainAt(call);
}

/** No further step is begun; those that wait are withdrawn, and those that act are waited for. */
async function abandon(
  call: Call,
  children: readonly Child[],
  outcome: Outcome,
  ports: Ports,
): Promise<Rest> {
  const wakes: Wake[] = [];
  for (const child of latest(children).filter(({ state }) => state !== "closed")) {
    try {
      wakes.push(...(await withdraw({ call: child.call, by: call.principal }, ports)).wakes);
    } catch (error) {
      // It acts, or has ended meanwhile: either way it wakes this one when it has.
      if (!(error instanceof ParaphError)) throw error;
    }
  }
  const now = await ports.store.children(call);
  const isOver = latest(now).every(({ state }) => state === "closed");
  const others = wakes.filter((one) => one.call !== call.call);
  const rested = isOver
    ? await close(call, now, { outcome, payloads: [] }, ports)
    : await wait(call, false, ports);
  return { ...rested, wakes: [...others, ...rested.wakes] };
}

interface Verdict {
  readonly outcome: Outcome;
  readonly payloads: readonly NewPayload[];
}

/** What the code came to. "Failed" says that it did not do all of what it should: its steps say what they did. */
function verdict(capability: Capability, came: Exclude<Run, { kind: "waiting" }>, ports: Ports): Verdict {
  if (came.kind === "ended") {
    const { output, code } = withinContract(capability, came.value);
    return {
      outcome: { kind: "succeeded", code },
      payloads: output === undefined ? [] : [payload("output", output, ports)],
    };
  }
  const { error } = came;
  const isUnknown = error instanceof StepFailed && error.outcome.kind === "unknown";
  const fault = faultOf(error);
  const code = error instanceof StepFailed ? error.code : fault.code;
  return {
    outcome: { kind: isUnknown ? "unknown" : "failed", code },
    payloads: [payload("error", fault.message, ports)],
  };
}

async function close(
  call: Call,
  all: readonly Child[],
  { outcome, payloads }: Verdict,
  ports: Ports,
): Promise<Rest> {
  const children = latest(all);
  const move: Move = await ending(
    call,
    {
      outcome,
      payloads: [...payloads, ...wayBack(call, children, ports)],
      children: children.map(({ step, call: id, outcome, receipt }) => ({
        ...{ step, call: id },
        outcome: outcome!,
        receipt: receipt ?? "",
      })),
    },
    ports,
  );
  const moved = await commit(call, move, ports);
  return moved.call.state === "closed" ? rest(moved.call, moved.wakes) : lookAgainAt(call);
}

/** What would undo it, whatever it ended as: what was done of it. */
function wayBack(call: Call, children: readonly Child[], ports: Ports): NewPayload[] {
  const capability = ports.catalog.find(call.tenant, call.capability);
  const planned =
    capability?.contractDigest === call.contractDigest ? capability.steps?.(inputOf(call)) : undefined;
  const hidden = hiddenAmong(previewOf(call)?.steps ?? []);
  const back = undoOf(children.map(endOf), hidden, orderOf(planned ?? []));
  return back ? [payload("undo", JSON.parse(canonical(back as unknown as Json)) as Json, ports)] : [];
}
