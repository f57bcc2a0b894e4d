import { type Call, lastPreview } from "../../call.ts";
import { listEditors } from "../../editors.ts";
import { eventsOfKind } from "../../event.ts";
import type { Json } from "../../json.ts";
import { sumPerformedMs } from "../../pipeline/close.ts";
import { canonical, digest } from "../../receipts/digest.ts";
import type { PublicKey } from "../../receipts/keys.ts";
import { committedPayloads } from "../../receipts/receipt.ts";
import { findUnsealedEvent } from "../../receipts/seal.ts";
import { verifyReceipt } from "../../receipts/verify.ts";
import { type CallRow, toCall } from "../model/model-rows.ts";
import { type EffectRecord, externalRules } from "../simulation/external-system.ts";
import { isBlockedForever } from "../simulation/run-to-rest.ts";
import type { Simulation } from "../simulation/simulation.ts";
import { computeApprovalDigest } from "./approval-digest.ts";
import {
  findAttemptViolations,
  findContract,
  findEarlyGiveUps,
  findEffectViolations,
} from "./attempt-laws.ts";
import { findCoverViolations, findPlanViolations } from "./plan-laws.ts";
import { findReplayViolations } from "./replay-laws.ts";
import { findResolutionViolations, findSuccessionViolations } from "./succession-laws.ts";

/** The basis that a preview of a call returned, and how many events the call had then. */
interface RecordedPreview {
  readonly call: string;
  readonly basis: Json;
  readonly events: number;
}

/** Checks the rows of a call at the moment of each of its effects. */
export function watchEffects(simulation: Simulation): void {
  const looks: RecordedPreview[] = [];
  const rowOf = (call: string) => simulation.store.rows().find((row) => row.call === call);
  simulation.outside.onPreview = (call, basis) => {
    looks.push({ call, basis, events: rowOf(call)?.events.length ?? 0 });
  };
  simulation.outside.onEffect = (effect) => {
    const row = rowOf(effect.call);
    const above = row?.parent && rowOf(row.parent.call);
    const broken = row
      ? findViolationsAtEffect(toCall(row), effect, looks, above && toCall(above))
      : ["[P7] an effect without a call"];
    broken.push(...simulation.freezes.findEffectViolations(effect));
    simulation.faults.push(...broken.map((fault) => `${fault} (${effect.call}, ${effect.capability})`));
  };
}

function findViolationsAtEffect(
  call: Call,
  effect: EffectRecord,
  looks: readonly RecordedPreview[],
  whole: Call | undefined,
): string[] {
  const faults: string[] = [];
  const intent = eventsOfKind(call.events, "intended").find(({ data }) => data.attempt === effect.attempt);
  if (!intent) return ["[P7] an effect without its intent"];
  if (effect.late) return faults;
  if (call.state !== "performing") faults.push(`[P7] an effect while the call is ${call.state}`);
  const basis = canonical(effect.basis ?? null);
  if (basis !== canonical(lastPreview(call)?.basis ?? null))
    faults.push("[P5] an effect on another basis than the rows have");
  // The pipeline must preview the call after the last event before the intent. An intent that was accepted together
  // with its call may use the preview from admission, when the call had no events.
  const before =
    intent.seq === 3 && call.events[1]?.kind === "ruled" && call.events[1].data.ruling === "allow"
      ? [0, 2]
      : [intent.seq - 1];
  const looked = looks.some(
    (look) => look.call === call.call && before.includes(look.events) && canonical(look.basis) === basis,
  );
  if (findContract(call).previews && intent.data.ruling !== "again" && !looked)
    faults.push("[P5] an effect without looking again");
  if (typeof externalRules[call.capability] === "string") return faults;

  const { approval } = call;
  const [cover] = eventsOfKind(call.events, "approval-inherited");
  if (cover && !approval) return [...faults, ...findCoverViolations(whole, call, cover)];
  if (approval?.status !== "approved") faults.push("[P5] an effect without an approval in force");
  if (approval?.digest !== computeApprovalDigest(call))
    faults.push("[P5] an effect that was not what was approved");
  const needed = approval?.guards[0]?.quorum ?? 1;
  const voters = new Set(approval?.votes.filter((vote) => vote.decision === "approve").map(({ by }) => by));
  if (voters.size < needed) faults.push("[P5] an effect with too few approvals");
  if (voters.has("owner")) faults.push("[P5] the agent's owner was counted");
  const ownVotes = eventsOfKind(call.events, "voted").filter(({ data }) => data.digest === approval?.digest);
  if ([...voters].some((voter) => !ownVotes.some(({ data }) => data.by === voter)))
    faults.push("[P6] a vote counted that was not given to this call");
  if (listEditors(call).some((editor) => voters.has(editor))) faults.push("[TRUST 28] an editor was counted");
  return faults;
}

/** Returns every violated invariant once the simulation has come to rest. */
export async function findViolations(simulation: Simulation, trusted: PublicKey): Promise<string[]> {
  const calls = simulation.store.calls();
  const perCall = await Promise.all(calls.map((call) => findCallViolations(simulation, call, trusted)));
  return [
    ...[...simulation.faults, ...simulation.outside.faults],
    ...[
      ...findKeyViolations(simulation),
      ...findLockViolations(simulation),
      ...findSuccessionViolations(calls),
      ...findReplayViolations(simulation.store),
    ],
    ...findPlanViolations(simulation),
    ...calls.flatMap(
      (call) => findUnsealedEvent(call, simulation.signer)?.kind.concat(" [TRUST 32] unsealed") ?? [],
    ),
    ...perCall.flat(),
  ];
}

async function findCallViolations(simulation: Simulation, call: Call, trusted: PublicKey): Promise<string[]> {
  if (call.state !== "closed")
    return isBlockedForever(simulation, call.call) ? [] : [`[P2] ${call.call} never ended (${call.state})`];
  const effects = simulation.outside.effects.filter((effect) => effect.call === call.call);
  const broken = [
    ...(findContract(call).composite ? [] : findEffectViolations(call, effects)),
    ...findAttemptViolations(call),
    ...findEarlyGiveUps(simulation, call),
    ...findEventViolations(call),
    ...findRoundViolations(simulation, call),
    ...findResolutionViolations(call, effects),
    ...(await findReceiptViolations(simulation, call, trusted)),
  ];
  return broken.map((law) => `${law} (${call.call}, ${call.capability}, ${JSON.stringify(call.outcome)})`);
}

function findKeyViolations(simulation: Simulation): string[] {
  const broken: string[] = [];
  const calls = simulation.store.rows();
  for (const { key, capability, input, result: told } of simulation.admissions) {
    const named = calls.filter((call) => call.key === key);
    if (named.length > 1) broken.push(`[P1] ${named.length} calls for one key`);
    const same = named[0]?.requestDigest === digest({ capability, input });
    if ("call" in told && (told.call !== named[0]?.call || !same)) broken.push("[P1] told of another call");
    const refused = "code" in told && !(told.code === "frozen" && simulation.freezes.hasAny());
    if (refused && (told.code !== "key-reused" || same)) broken.push(`[P1] refused with ${told.code}`);
  }
  return broken;
}

function findLockViolations(simulation: Simulation): string[] {
  const outcomes = new Map(simulation.store.rows().map((row) => [row.call, row]));
  const locks = simulation.store.getLocks("acme");
  return [
    ...locks
      .listHeld()
      .filter(({ call }) => !isKeepingLocks(outcomes.get(call)))
      .map(({ call }) => `[locks] ${call} still holds`),
    ...locks
      .listQueued()
      .filter(({ call }) => outcomes.get(call)?.state !== "queued")
      .map(({ call }) => `[locks] ${call} still queues`),
    ...[...outcomes.values()]
      .filter((call) => isKeepingLocks(call) && !locks.isHolding(call.call, call.lockKeys))
      .map(({ call }) => `[P7] ${call} is unknown and let go of its locks`),
  ];
}

/** [P7] Returns whether the call keeps its locks because its outcome is unknown and has no resolution. */
function isKeepingLocks(call: CallRow | undefined): boolean {
  return call?.outcome?.kind === "unknown" && call.resolution === undefined;
}

function findEventViolations(call: Call): string[] {
  const gap = call.events.findIndex(({ seq }, index) => seq !== index + 1);
  const back = call.events.findIndex(({ at }, index) => at < (call.events[index - 1]?.at ?? 0));
  return [
    ...(gap >= 0 ? ["[P2] a gap in the events"] : []),
    ...(back >= 0 ? ["[P2] events go back in time"] : []),
    ...(eventsOfKind(call.events, "closed").length === 1 ? [] : ["[P2] not exactly one ending"]),
  ];
}

function findRoundViolations(simulation: Simulation, call: Call): string[] {
  const rounds = simulation.store.rows().find((row) => row.call === call.call)?.rounds ?? [];
  const told = (round: number) =>
    eventsOfKind(call.events, "round-closed").findLast(({ data }) => data.round === round);
  const agree = rounds.every(({ round, status }) => told(round)?.data.status === status);
  return agree ? [] : ["[P5] the rounds and their events disagree"];
}

async function findReceiptViolations(
  simulation: Simulation,
  call: Call,
  trusted: PublicKey,
): Promise<string[]> {
  if (!simulation.store.receipt(call)) return ["[P2] no receipt"];
  try {
    const bundle = {
      mediaType: "application/vnd.paraph.receipt.v1+json",
      envelope: simulation.store.envelope(call),
      disclosures: committedPayloads(call.payloads),
    };
    const { story } = await verifyReceipt(bundle, [trusted]);
    // The receipt is signed before a resolution exists, so it does not contain the `resolved` event.
    const told = call.events.filter(({ kind }) => kind !== "resolved");
    const agrees =
      canonical(story.events as unknown as Json) === canonical(told as unknown as Json) &&
      canonical(story.outcome as unknown as Json) === canonical(call.outcome as unknown as Json);
    return [
      ...(agrees ? [] : ["[P2] the receipt tells another story than the rows"]),
      ...(story.attempts === eventsOfKind(call.events, "attempted").length
        ? []
        : ["[P8] attempts miscounted"]),
      ...(story.durationMs === sumPerformedMs(told, told.at(-1)!.at)
        ? []
        : ["[P8] another duration than its attempts had"]),
    ];
  } catch (error) {
    return [`[P2] ${String(error)}`];
  }
}
