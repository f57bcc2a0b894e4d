import type { Call } from "../../call.ts";
import type { Capability, Preview } from "../../capability/capability.ts";
import { type Fault, timeoutFault } from "../../capability/fault.ts";
import type { Vote } from "../../policy/evidence.ts";
import type { Allow, Block, Ruling } from "../../policy/ruling.ts";
import type { Ports, Transition } from "../../ports.ts";
import { isPreviewIncomplete, newPreviewPayload, openRound } from "../approval/ask.ts";
import { closeCall, createPayload } from "../close.ts";
import { createIntent } from "../execution/perform.ts";
import { throttleAfterDenials } from "./ask-throttle.ts";
import { draftSteps, previewCall } from "./preview-steps.ts";
import { readInPlace } from "./read-in-place.ts";
import { createGate, needsIntent, type RuledCall, recordRuling } from "./rule.ts";
import { rulePlan } from "./rule-plan.ts";

/** What policy says of a call, and of which preview. */
export type Evaluated =
  | {
      readonly kind: "ruled";
      readonly judged: RuledCall<Exclude<Ruling, Block>>;
      readonly preview: Preview | undefined;
    }
  | { readonly kind: "blocked"; readonly judged: RuledCall<Block> }
  | { readonly kind: "unpreviewed"; readonly fault: Fault };

/** Policy first, so that nothing is previewed for a call that could never be allowed; then with the preview. */
export async function evaluateCall(
  call: Call,
  capability: Capability,
  patienceMs: number,
  ports: Ports,
  votesFor: (preview: Preview | undefined) => readonly Vote[] = () => [],
): Promise<Evaluated> {
  // Said to the caller, while there is one: nothing is on record of a plan that makes no sense.
  if (call.epoch === 0) draftSteps(call, capability, ports);
  const first = await rulePlan(call, capability, { preview: undefined, votes: votesFor(undefined) }, ports);
  if (first.ruling.kind === "block" || !capability.contract.previews) return toEvaluated(first, undefined);

  const previewed = await previewCall(call, capability, patienceMs, ports);
  if (previewed.kind === "fault") return { kind: "unpreviewed", fault: previewed.fault };
  const seen = { preview: previewed.value, votes: votesFor(previewed.value) };
  return toEvaluated(await rulePlan(call, capability, seen, ports), previewed.value);
}

/** A ruling sorted by whether the call goes on. */
export function toEvaluated({ ruling, request }: RuledCall, preview: Preview | undefined): Evaluated {
  if (ruling.kind === "block") return { kind: "blocked", judged: { ruling, request } };
  return { kind: "ruled", judged: { ruling, request }, preview };
}

/** Where a considered call goes first; also for a call whose preview came later than its admission. */
export async function transitionAfterRuling(
  call: Call,
  capability: Capability,
  considered: Evaluated,
  here: boolean,
  ports: Ports,
): Promise<Transition> {
  switch (considered.kind) {
    case "blocked":
      return closeBlocked(call, capability, considered.judged, ports);
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
        considered.judged.ruling,
        ports,
        withAcceptanceGate(
          call,
          capability,
          considered.judged.ruling,
          ports,
          await transitionForRuling(call, capability, considered, here, ports),
        ),
      );
  }
}

/** What follows from a ruling that lets the call go on. */
async function transitionForRuling(
  call: Call,
  capability: Capability,
  { judged, preview }: Extract<Evaluated, { kind: "ruled" }>,
  here: boolean,
  ports: Ports,
): Promise<Transition> {
  const { ruling, request } = judged;
  if (ruling.kind === "ask")
    return isPreviewIncomplete(preview)
      ? closeUnapprovable(call, { ruling, request }, ports)
      : openRound(call, capability, { ruling, request }, preview, ports);
  if (ruling.kind === "check") return waitIn("checking", call, judged, preview, ports);
  if (canReadInPlace(call, capability, ruling, ports)) return readInPlace(call, capability, judged, ports);
  return here && canActAtOnce(call, capability)
    ? acceptAndIntend(call, capability, { ruling, request }, preview, ports)
    : waitIn("ready", call, judged, preview, ports);
}

/** Policy's no ends the call, on record with its reasons. */
async function closeBlocked(
  call: Call,
  capability: Capability,
  judged: RuledCall<Block>,
  ports: Ports,
): Promise<Transition> {
  const { event, payload } = recordRuling(judged, ports);
  const { code } = judged.ruling;
  const end = { outcome: { kind: "refused", code }, events: [event], payloads: [payload] } as const;
  return withAcceptanceGate(call, capability, judged.ruling, ports, await closeCall(call, end, ports));
}

/** People would have to approve it, and cannot be shown all of it. */
async function closeUnapprovable(call: Call, judged: RuledCall, ports: Ports): Promise<Transition> {
  const { event, payload: request } = recordRuling(judged, ports);
  const message =
    "The preview does not fit, so nobody could approve all of it. Split the call into smaller ones, or raise the adapter's limit.";
  return closeCall(
    call,
    {
      outcome: { kind: "refused", code: "preview-incomplete" },
      events: [event],
      payloads: [request, createPayload("error", message, ports)],
    },
    ports,
  );
}

/** Only acceptance stands before this gate: what was accepted meets the next one at its intent. */
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
  judged: RuledCall,
  preview: Preview | undefined,
  ports: Ports,
): Transition {
  const { event, payload } = recordRuling(judged, ports);
  return {
    state,
    nextAt: ports.clock.now() + ports.settings.sweepGraceMs,
    events: [event],
    payloads: [...newPreviewPayload(call, preview, ports), payload],
  };
}

/** Nothing to wait for and nothing to keep others from: what was looked at a moment ago is what the effect rests on. */
function canActAtOnce(call: Call, { contract }: Capability): boolean {
  return call.epoch === 0 && call.lockKeys.length === 0 && isPerformedByParaph(contract);
}

/** Accepted and intended in one transaction, by a process that goes on to act at once. */
function acceptAndIntend(
  call: Call,
  capability: Capability,
  judged: RuledCall<Allow>,
  preview: Preview | undefined,
  ports: Ports,
): Transition {
  const ruled = recordRuling(judged, ports);
  const payloads = newPreviewPayload(call, preview, ports);
  const move = createIntent(call, capability, { because: judged.ruling, payloads }, ports);
  return {
    ...move,
    events: [ruled.event, ...move.events],
    payloads: [...payloads, ruled.payload],
  };
}

/** Accepted before policy has seen a preview: it is asked when there is one. */
function waitForPreview(call: Call, capability: Capability, ports: Ports): Transition {
  return {
    state: "previewing",
    nextAt: ports.clock.now() + ports.settings.sweepGraceMs,
    events: [],
    gate: createGate(call, capability, "again", ports),
  };
}

/** A read has no effect to lose, and this one nothing to lock and nothing to use up: it needs no engine. */
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

/** Carried out by one attempt of ours: neither by the agent itself nor by steps. */
function isPerformedByParaph({ performer, composite }: Capability["contract"]): boolean {
  return performer === undefined && composite === undefined;
}
