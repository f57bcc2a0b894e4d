import type { Call } from "../call.ts";
import type { Capability, Preview } from "../capability.ts";
import type { Vote } from "../evidence.ts";
import { type Fault, timedOut } from "../fault.ts";
import type { Move, Ports } from "../ports.ts";
import type { Allow, Block, Ruling } from "../ruling.ts";
import { asking, isIncomplete, previewPayload } from "./ask.ts";
import { ending, payload } from "./ending.ts";
import { plannedSteps, see } from "./foresee.ts";
import { gateFor, type Judged, needsIntent, recorded } from "./judge.ts";
import { judgeWhole } from "./judge-whole.ts";
import { intention } from "./perform.ts";
import { readInPlace } from "./read-in-place.ts";
import { slowed } from "./slow.ts";

/** What policy says of a call, and of which preview. */
export type Considered =
  | {
      readonly kind: "ruled";
      readonly judged: Judged<Exclude<Ruling, Block>>;
      readonly preview: Preview | undefined;
    }
  | { readonly kind: "blocked"; readonly judged: Judged<Block> }
  | { readonly kind: "unpreviewed"; readonly fault: Fault };

/** Policy first, so that nothing is previewed for a call that could never be allowed; then with the preview. */
export async function consider(
  call: Call,
  capability: Capability,
  patienceMs: number,
  ports: Ports,
  votesFor: (preview: Preview | undefined) => readonly Vote[] = () => [],
): Promise<Considered> {
  // Said to the caller, while there is one: nothing is on record of a plan that makes no sense.
  if (call.epoch === 0) plannedSteps(call, capability, ports);
  const first = await judgeWhole(call, capability, { preview: undefined, votes: votesFor(undefined) }, ports);
  if (first.ruling.kind === "block" || !capability.contract.previews) return ruledOn(first, undefined);

  const previewed = await see(call, capability, patienceMs, ports);
  if (previewed.kind === "fault") return { kind: "unpreviewed", fault: previewed.fault };
  const seen = { preview: previewed.value, votes: votesFor(previewed.value) };
  return ruledOn(await judgeWhole(call, capability, seen, ports), previewed.value);
}

/** A ruling sorted by whether the call goes on. */
export function ruledOn({ ruling, request }: Judged, preview: Preview | undefined): Considered {
  if (ruling.kind === "block") return { kind: "blocked", judged: { ruling, request } };
  return { kind: "ruled", judged: { ruling, request }, preview };
}

/** Where a considered call goes first; also for a call whose preview came later than its admission. */
export async function firstMove(
  call: Call,
  capability: Capability,
  considered: Considered,
  here: boolean,
  ports: Ports,
): Promise<Move> {
  switch (considered.kind) {
    case "blocked":
      return blocked(call, capability, considered.judged, ports);
    case "unpreviewed":
      if (considered.fault === timedOut && call.epoch === 0) return previewing(call, capability, ports);
      return ending(
        call,
        {
          outcome: { kind: "refused", code: "preview-failed" },
          payloads: [payload("error", considered.fault.message, ports)],
        },
        ports,
      );
    case "ruled":
      return slowed(
        call,
        considered.judged.ruling,
        ports,
        gated(
          call,
          capability,
          considered.judged.ruling,
          ports,
          await onward(call, capability, considered, here, ports),
        ),
      );
  }
}

/** What follows from a ruling that lets the call go on. */
async function onward(
  call: Call,
  capability: Capability,
  { judged, preview }: Extract<Considered, { kind: "ruled" }>,
  here: boolean,
  ports: Ports,
): Promise<Move> {
  const { ruling, request } = judged;
  if (ruling.kind === "ask")
    return isIncomplete(preview)
      ? unapprovable(call, { ruling, request }, ports)
      : asking(call, capability, { ruling, request }, preview, ports);
  if (ruling.kind === "check") return waiting("checking", call, judged, preview, ports);
  if (canReadInPlace(call, capability, ruling, ports)) return readInPlace(call, capability, judged, ports);
  return here && needsNoWait(call, capability)
    ? actAtOnce(call, capability, { ruling, request }, preview, ports)
    : waiting("ready", call, judged, preview, ports);
}

/** Policy's no ends the call, on record with its reasons. */
async function blocked(
  call: Call,
  capability: Capability,
  judged: Judged<Block>,
  ports: Ports,
): Promise<Move> {
  const { event, payload } = recorded(judged, ports);
  const { code } = judged.ruling;
  const end = { outcome: { kind: "refused", code }, events: [event], payloads: [payload] } as const;
  return gated(call, capability, judged.ruling, ports, await ending(call, end, ports));
}

/** People would have to approve it, and cannot be shown all of it. */
async function unapprovable(call: Call, judged: Judged, ports: Ports): Promise<Move> {
  const { event, payload: request } = recorded(judged, ports);
  const message =
    "The preview does not fit, so nobody could approve all of it. Split the call into smaller ones, or raise the adapter's limit.";
  return ending(
    call,
    {
      outcome: { kind: "refused", code: "preview-incomplete" },
      events: [event],
      payloads: [request, payload("error", message, ports)],
    },
    ports,
  );
}

/** Only acceptance stands before this gate: what was accepted meets the next one at its intent. */
function gated(call: Call, capability: Capability, ruling: Ruling, ports: Ports, move: Move): Move {
  return call.epoch === 0 ? { ...move, gate: gateFor(call, capability, ruling, ports) } : move;
}

function waiting(
  state: "checking" | "ready",
  call: Call,
  judged: Judged,
  preview: Preview | undefined,
  ports: Ports,
): Move {
  const { event, payload } = recorded(judged, ports);
  return {
    state,
    nextAt: ports.clock.now() + ports.settings.sweepGraceMs,
    events: [event],
    payloads: [...previewPayload(call, preview, ports), payload],
  };
}

/** Nothing to wait for and nothing to keep others from: what was looked at a moment ago is what the effect rests on. */
function needsNoWait(call: Call, { contract }: Capability): boolean {
  return call.epoch === 0 && call.lockKeys.length === 0 && performsHere(contract);
}

/** Accepted and intended in one transaction, by a process that goes on to act at once. */
function actAtOnce(
  call: Call,
  capability: Capability,
  judged: Judged<Allow>,
  preview: Preview | undefined,
  ports: Ports,
): Move {
  const ruled = recorded(judged, ports);
  const payloads = previewPayload(call, preview, ports);
  const move = intention(call, capability, { because: judged.ruling, payloads }, ports);
  return {
    ...move,
    events: [ruled.event, ...move.events],
    payloads: [...payloads, ruled.payload],
  };
}

/** Accepted before policy has seen a preview: it is asked when there is one. */
function previewing(call: Call, capability: Capability, ports: Ports): Move {
  return {
    state: "previewing",
    nextAt: ports.clock.now() + ports.settings.sweepGraceMs,
    events: [],
    gate: gateFor(call, capability, "again", ports),
  };
}

/** A read has no effect to lose, and this one nothing to lock and nothing to use up: it needs no engine. */
export function canReadInPlace(
  call: Call,
  capability: Capability,
  ruling: Ruling | "again",
  ports: Ports,
): boolean {
  return needsNoWait(call, capability) && !needsIntent(capability, gateFor(call, capability, ruling, ports));
}

/** Carried out by one attempt of ours: neither by the agent itself nor by steps. */
function performsHere({ performer, composite }: Capability["contract"]): boolean {
  return performer === undefined && composite === undefined;
}
