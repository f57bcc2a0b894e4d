import { type Call, lastPreview } from "../../call.ts";
import type { Capability, Preview } from "../../capability/capability.ts";
import { type Fault, timeoutFault } from "../../capability/fault.ts";
import type { Vote } from "../../policy/evidence.ts";
import type { Allow, Block, Ruling } from "../../policy/ruling.ts";
import type { Ports } from "../../ports.ts";
import type { Transition } from "../../store.ts";
import { isPreviewIncomplete, openRound } from "../approval/ask.ts";
import { createIntent } from "../attempt/intent.ts";
import { closeCall, createPayload } from "../close.ts";
import { newContentPayloads } from "../content-payloads.ts";
import { createGate, needsIntent } from "../gate.ts";
import { draftSteps, previewCall } from "../ruling/preview-steps.ts";
import { type RuledCall, recordRuling } from "../ruling/rule.ts";
import { rulePlan } from "../ruling/rule-plan.ts";
import { throttleAfterDenials } from "./ask-throttle.ts";
import { readInPlace } from "./read-in-place.ts";

/** Policy's ruling on a call, with the preview that it is based on. */
export type Evaluated =
  | {
      readonly kind: "ruled";
      readonly ruledCall: RuledCall<Exclude<Ruling, Block>>;
      readonly preview: Preview | undefined;
    }
  | { readonly kind: "blocked"; readonly ruledCall: RuledCall<Block> }
  | { readonly kind: "unpreviewed"; readonly fault: Fault };

/** A ruling that does not block the call. */
export type Ruled = Extract<Evaluated, { readonly kind: "ruled" }>;

/**
 * Evaluates a call. Policy rules first without a preview, so that Paraph does not preview a call that can never be
 * allowed. Policy then rules again with the preview.
 */
export async function evaluateCall(
  call: Call,
  capability: Capability,
  patienceMs: number,
  ports: Ports,
  votesFor: (preview: Preview | undefined) => readonly Vote[] = () => [],
): Promise<Evaluated> {
  // Validates the plan at admission. If the plan is invalid, the caller gets an error, and Paraph records nothing about
  // the plan.
  if (call.epoch === 0) draftSteps(call, capability, ports);
  const first = await rulePlan(call, capability, { preview: undefined, votes: votesFor(undefined) }, ports);
  if (first.ruling.kind === "block" || !capability.contract.previews) return toEvaluated(first, undefined);

  const previewed = await previewCall(call, capability, patienceMs, ports);
  if (previewed.kind === "fault") return { kind: "unpreviewed", fault: previewed.fault };
  const seen = { preview: previewed.value, votes: votesFor(previewed.value) };
  return toEvaluated(await rulePlan(call, capability, seen, ports), previewed.value);
}

/** Returns `blocked` for a ruling that blocks the call, and `ruled` for every other ruling. */
export function toEvaluated({ ruling, request }: RuledCall, preview: Preview | undefined): Evaluated {
  if (ruling.kind === "block") return { kind: "blocked", ruledCall: { ruling, request } };
  return { kind: "ruled", ruledCall: { ruling, request }, preview };
}

/** Returns the first transition of an evaluated call, at its admission or once its late preview is ready. */
export async function transitionAfterRuling(
  call: Call,
  capability: Capability,
  considered: Evaluated,
  here: boolean,
  ports: Ports,
): Promise<Transition> {
  switch (considered.kind) {
    case "blocked":
      return closeBlocked(call, capability, considered.ruledCall, ports);
    case "unpreviewed":
      if (considered.fault === timeoutFault && call.epoch === 0)
        return waitForPreview(call, capability, ports);
      return closeCall(
        call,
        {
          outcome: { kind: "refused", code: "preview-failed" },
          payloads: [createPayload("error", considered.fault.message, ports)],
        },
        ports,
      );
    case "ruled":
      return throttleAfterDenials(
        call,
        considered.ruledCall.ruling,
        ports,
        withAcceptanceGate(
          call,
          capability,
          considered.ruledCall.ruling,
          ports,
          await transitionForRuling(call, capability, considered, here, ports),
        ),
      );
  }
}

/** Returns the transition for a ruling that does not block the call. */
async function transitionForRuling(
  call: Call,
  capability: Capability,
  { ruledCall, preview }: Extract<Evaluated, { kind: "ruled" }>,
  here: boolean,
  ports: Ports,
): Promise<Transition> {
  const { ruling, request } = ruledCall;
  switch (ruling.kind) {
    case "ask":
      return isPreviewIncomplete(preview)
        ? closeUnapprovable(call, { ruling, request }, ports)
        : openRound(call, capability, { ruling, request }, preview, ports);
    case "check":
      return waitIn("checking", call, capability, { ruledCall, preview }, ports);
    case "allow":
      if (canReadInPlace(call, capability, ruling, ports))
        return readInPlace(call, capability, ruledCall, ports);
      return here && canActAtOnce(call, capability)
        ? acceptAndIntend(call, capability, { ruling, request }, preview, ports)
        : waitIn("ready", call, capability, { ruledCall, preview }, ports);
  }
}

/** Closes a call that policy blocks, and records the reasons. */
async function closeBlocked(
  call: Call,
  capability: Capability,
  ruledCall: RuledCall<Block>,
  ports: Ports,
): Promise<Transition> {
  const { event, payload } = recordRuling(ruledCall, ports);
  const { code } = ruledCall.ruling;
  const payloads = [...newContentPayloads(call, capability, lastPreview(call), ports), payload];
  const end = { outcome: { kind: "refused", code }, events: [event], payloads } as const;
  return withAcceptanceGate(call, capability, ruledCall.ruling, ports, await closeCall(call, end, ports));
}

/** Closes a call that people would have to approve without seeing all of it. */
async function closeUnapprovable(call: Call, ruledCall: RuledCall, ports: Ports): Promise<Transition> {
  const { event, payload } = recordRuling(ruledCall, ports);
  const message =
    "The preview exceeds the size limit, so approvers could not see all of it. Split the call into smaller ones, or raise the adapter's limit.";
  return closeCall(
    call,
    {
      outcome: { kind: "refused", code: "preview-incomplete" },
      events: [event],
      payloads: [payload, createPayload("error", message, ports)],
    },
    ports,
  );
}

/**
 * Adds the gate if the transition accepts the call. A call that is already accepted gets no gate here, because the gate
 * is checked again at the intent.
 */
function withAcceptanceGate(
  call: Call,
  capability: Capability,
  ruling: Ruling,
  ports: Ports,
  move: Transition,
): Transition {
  return call.epoch === 0 ? { ...move, gate: createGate(call, capability, ruling, ports) } : move;
}

function waitIn(
  state: "checking" | "ready",
  call: Call,
  capability: Capability,
  { ruledCall, preview }: { readonly ruledCall: RuledCall; readonly preview: Preview | undefined },
  ports: Ports,
): Transition {
  const { event, payload } = recordRuling(ruledCall, ports);
  return {
    state,
    nextAt: ports.clock.now() + ports.settings.sweepGraceMs,
    events: [event],
    payloads: [...newContentPayloads(call, capability, preview, ports), payload],
  };
}

/**
 * Returns whether the call can act without waiting and without locks. If so, Paraph acts on the preview that it has
 * just made.
 */
function canActAtOnce(call: Call, { contract }: Capability): boolean {
  return call.epoch === 0 && call.lockKeys.length === 0 && isPerformedByParaph(contract);
}

/** Writes the acceptance and the intent in one transaction, for a process that then acts immediately. */
function acceptAndIntend(
  call: Call,
  capability: Capability,
  ruledCall: RuledCall<Allow>,
  preview: Preview | undefined,
  ports: Ports,
): Transition {
  const ruled = recordRuling(ruledCall, ports);
  const payloads = newContentPayloads(call, capability, preview, ports);
  const move = createIntent(call, capability, { because: ruledCall.ruling, payloads }, ports);
  return {
    ...move,
    events: [ruled.event, ...move.events],
    payloads: [...payloads, ruled.payload],
  };
}

/** Accepts a call before its preview is ready. Policy rules on the call again once the preview is ready. */
function waitForPreview(call: Call, capability: Capability, ports: Ports): Transition {
  return {
    state: "previewing",
    nextAt: ports.clock.now() + ports.settings.sweepGraceMs,
    events: [],
    gate: createGate(call, capability, "again", ports),
  };
}

/**
 * Returns whether Paraph can perform the call as a read during admission, without the engine. The call must take no
 * lock and use up no money, place or grant. A read needs no engine, because it has no effect that could be lost.
 */
export function canReadInPlace(
  call: Call,
  capability: Capability,
  ruling: Ruling | "again",
  ports: Ports,
): boolean {
  return (
    canActAtOnce(call, capability) && !needsIntent(capability, createGate(call, capability, ruling, ports))
  );
}

/** Returns whether Paraph itself performs the call in an attempt, rather than the agent or the steps of a composite. */
function isPerformedByParaph({ performer, composite }: Capability["contract"]): boolean {
  return performer === undefined && composite === undefined;
}
