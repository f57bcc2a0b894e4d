import { type Call, type Child, callInput, lastPreview } from "../../call.ts";
import type { Capability } from "../../capability/capability.ts";
import { StepFailed } from "../../capability/composite.ts";
import { safeCode, toFault } from "../../capability/fault.ts";
import type { Json } from "../../json.ts";
import { type ClosingOutcome, toFaultCode } from "../../outcome-codes/outcome-codes.ts";
import { ParaphError } from "../../paraph-error.ts";
import { buildStepOrder, buildUndo, listHiddenSteps } from "../../plan/undo-plan.ts";
import type { Ports } from "../../ports.ts";
import { canonical } from "../../receipts/digest.ts";
import { sealEvent } from "../../receipts/seal.ts";
import type { NewPayload, Transition, Wake } from "../../store.ts";
import { isWithdrawn, withdrawCall } from "../approval/withdraw.ts";
import { checkOutput } from "../attempt/attempt.ts";
import { closeCall, createPayload } from "../close.ts";
import { composingMs } from "../execution/begin-composite.ts";
import { parkCall } from "../execution/park.ts";
import { commitTransition, createWake, type Rested, restCall } from "../transition.ts";
import { latestChildren, toChildEnd } from "./child-end.ts";
import { type CompositeRun, Composition, type RunChild } from "./composition.ts";

/**
 * [P13] Runs one segment of a composite. It runs the code from the top, and takes the results of closed steps from the
 * rows. Each further step runs in this process as far as it can. The segment rests when every open step waits. It
 * closes the composite when its steps have ended.
 */
export async function compose(
  call: Call,
  capability: Capability | undefined,
  ports: Ports,
  runChild: RunChild,
): Promise<Rested> {
  const frozen = capability && (await ports.freezes.inForce(call.principal, capability.contract));
  if (frozen) return parkCall(call, capability, frozen.id, ports);
  const children = await ports.store.children(call);
  if (isWithdrawn(call)) return abandonSteps(call, children, { kind: "cancelled", code: "withdrawn" }, ports);
  // This process does not have the code that ran the first steps, so it cannot continue the composite. The effects of
  // those steps remain, and can be undone.
  if (!capability?.compose)
    return abandonSteps(call, children, { kind: "failed", code: "contract-changed" }, ports);

  // [TRUST 29] The rows of the steps are too large to load, so the code cannot get their results. The effects of the
  // steps remain, and each step can be undone separately.
  if (children.some(({ withheld }) => withheld))
    return abandonSteps(call, children, { kind: "failed", code: "steps-too-large" }, ports);

  const resumed = call.state === "composing" ? call : await resumeComposite(call, ports);
  if (!resumed) return wakeSoon(call);
  const composition = new Composition(resumed, capability, children, ports, runChild);
  const came = await composition.run((composer) => capability.compose!(callInput(call), composer));
  const { call: moved, wakes } = composition;
  if (composition.lost) return wakeSoon(moved, wakes);
  const now = await ports.store.children(call);
  const isOver = came.kind !== "waiting" && latestChildren(now).every(({ state }) => state === "closed");
  const rested = isOver
    ? await closeComposite(moved, now, toCompositeResult(capability, came, ports), ports)
    : await waitForSteps(moved, composition.hasMoreWork, ports);
  return { ...rested, wakes: [...wakes, ...rested.wakes] };
}

/**
 * Wakes the composite again, because another segment made a transition and may not have seen everything that this
 * segment saw.
 */
function wakeSoon(call: Call, wakes: readonly Wake[] = []): Rested {
  return restCall(call, [...wakes, createWake(call)]);
}

/** Continues the steps of a composite after a thaw. */
async function resumeComposite(call: Call, ports: Ports): Promise<Call | undefined> {
  const at = ports.clock.now();
  const began = { kind: "began", at, data: { again: true } } as const;
  const events = [sealEvent(call, began, ports.sealer)];
  const committed = await commitTransition(
    call,
    { state: "composing", nextAt: at + composingMs, events },
    ports,
  );
  return committed.kind === "on" ? committed.call : undefined;
}

/**
 * Waits for the steps. A step that ends wakes the composite. The sweeper picks it up at growing intervals, in case a
 * message got lost.
 */
async function waitForSteps(call: Call, soon: boolean, ports: Ports): Promise<Rested> {
  const now = ports.clock.now();
  if (soon) return restCall(call, [createWake(call)]);
  const idleMs = now - (call.events.at(-1)?.at ?? now);
  const nextAt = now + Math.min(Math.max(idleMs, composingMs), 10 * 60_000);
  if ((call.nextAt ?? 0) > now + composingMs / 2) return restCall(call);
  const committed = await commitTransition(call, { state: call.state, nextAt, events: [] }, ports);
  return committed.kind === "on" ? restCall(committed.call, committed.wakes) : wakeSoon(call);
}

/** Starts no further steps, withdraws the steps that wait, and waits for the steps that act. */
async function abandonSteps(
  call: Call,
  children: readonly Child[],
  outcome: ClosingOutcome,
  ports: Ports,
): Promise<Rested> {
  const wakes: Wake[] = [];
  for (const child of latestChildren(children).filter(({ state }) => state !== "closed")) {
    try {
      wakes.push(...(await withdrawCall({ call: child.call, by: call.principal }, ports)).wakes);
    } catch (error) {
      // Ignores a `ParaphError`, which means that the step already acts or has ended. In both cases the step wakes this
      // composite.
      if (!(error instanceof ParaphError)) throw error;
    }
  }
  const now = await ports.store.children(call);
  const isOver = latestChildren(now).every(({ state }) => state === "closed");
  const others = wakes.filter((one) => one.call !== call.call);
  const rested = isOver
    ? await closeComposite(call, now, { outcome, payloads: [] }, ports)
    : await waitForSteps(call, false, ports);
  return { ...rested, wakes: [...others, ...rested.wakes] };
}

interface CompositeResult {
  readonly outcome: ClosingOutcome;
  readonly payloads: readonly NewPayload[];
}

/**
 * Returns the result of the composite's code. `failed` means that the composite did not do everything. The receipts of
 * its steps record what the steps did.
 */
function toCompositeResult(
  capability: Capability,
  came: Exclude<CompositeRun, { kind: "waiting" }>,
  ports: Ports,
): CompositeResult {
  if (came.kind === "ended") {
    const { output, code } = checkOutput(capability, came.value);
    return {
      outcome: { kind: "succeeded", code },
      payloads: output === undefined ? [] : [createPayload("output", output, ports)],
    };
  }
  const { error } = came;
  const isUnknown = error instanceof StepFailed && error.outcome.kind === "unknown";
  const fault = toFault(error);
  const code = toFaultCode(error instanceof StepFailed ? { code: safeCode(error.code) } : fault);
  return {
    outcome: { kind: isUnknown ? "unknown" : "failed", code },
    payloads: [createPayload("error", fault.message, ports)],
  };
}

async function closeComposite(
  call: Call,
  all: readonly Child[],
  { outcome, payloads }: CompositeResult,
  ports: Ports,
): Promise<Rested> {
  const children = latestChildren(all);
  const move: Transition = await closeCall(
    call,
    {
      outcome,
      payloads: [...payloads, ...undoPayload(call, children, ports)],
      children: children.map(({ step, call: id, outcome, receipt }) => ({
        step,
        call: id,
        outcome: outcome!,
        receipt: receipt ?? "",
      })),
    },
    ports,
  );
  const committed = await commitTransition(call, move, ports);
  return committed.call.state === "closed" ? restCall(committed.call, committed.wakes) : wakeSoon(call);
}

/** Returns the undo of everything that the composite did, whatever its outcome. */
function undoPayload(call: Call, children: readonly Child[], ports: Ports): NewPayload[] {
  const capability = ports.catalog.find(call.tenant, call.capability);
  const planned =
    capability?.contractDigest === call.contractDigest ? capability.steps?.(callInput(call)) : undefined;
  const hidden = listHiddenSteps(lastPreview(call)?.steps ?? []);
  const undo = buildUndo(children.map(toChildEnd), hidden, buildStepOrder(planned ?? []));
  return undo ? [createPayload("undo", JSON.parse(canonical(undo as unknown as Json)) as Json, ports)] : [];
}
