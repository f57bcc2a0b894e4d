import type { Call } from "../../call.ts";
import type { Contract } from "../../capability/contract.ts";
import { type Event, eventsOfKind } from "../../event.ts";
import { planApplyCapability } from "../../plan/plan-capability.ts";
import { type EffectRecord, externalCapabilities } from "../simulation/external-system.ts";
import type { Simulation } from "../simulation/simulation.ts";

const contractByName = new Map(
  [...externalCapabilities, planApplyCapability].map(({ contract }) => [contract.name, contract]),
);

/** [P4] [P7] Compares the outcome with the effects that really happened. */
export function findEffectViolations(call: Call, effects: readonly EffectRecord[]): string[] {
  const { effect, idempotency } = findContract(call);
  const doubtful = call.attempts.some(({ ended }) => ended === "lost" || ended === "ambiguous");
  const broken: string[] = [];
  if (effects.length > 1 && idempotency !== "natural") broken.push(`[P7] ${effects.length} effects`);
  if (effects.length > 1 && !doubtful) broken.push("[P7] a second effect that no doubt explains");
  switch (call.outcome?.kind) {
    case "succeeded":
      if (effect !== "read" && effects.length === 0) broken.push("[P2] succeeded without an effect");
      break;
    case "unknown":
      if (!doubtful) broken.push("[P7] unknown although nothing is in doubt");
      if (effect === "read") broken.push("[P7] a read has no effect to doubt");
      if (!isUnknownJustified(call, effects)) broken.push("[P7] unknown although the contract can tell");
      break;
    default:
      if (effects.length > 0) broken.push(`[P4] ${call.outcome?.kind} with an effect`);
  }
  return broken;
}

/**
 * Returns whether the call may end as unknown. The contract may be unable to tell whether the effect happened, or its
 * probe or its retries may have failed.
 */
function isUnknownJustified(call: Call, effects: readonly EffectRecord[]): boolean {
  const { idempotency, retry } = findContract(call);
  const code = call.outcome?.code ?? "";
  const ended = call.attempts.map((attempt) => attempt.ended);
  const failures = eventsOfKind(call.events, "attempted").filter(
    ({ data: { as } }) => as === "ambiguous" || as === "not-performed",
  );
  const usedUp = failures.length > retry.retries;
  if (code === "contract-changed") return true;
  if (code === "crashed-repeatedly") return ended.filter((end) => end === "lost").length > 0;
  if (code === "lost-too-often") return ended.filter((end) => end === "lost").length >= 10;
  if (idempotency === "none") return true;
  if (idempotency === "keyed" && code === "key-expired") return true;
  if (idempotency === "probe" && (code === "probe-unsure" || code === "probe-failed")) return true;
  if (usedUp) return true;
  // A probe finds every earlier effect before an attempt runs again. It can miss only an effect that landed late.
  if (idempotency === "probe" && effects.some(({ late }) => !late)) return false;
  const last = eventsOfKind(call.events, "attempted").at(-1)?.data;
  return last?.as === "permanent" || last?.unrecognised === true;
}

/** [P8] Checks that retries are counted, wait for their delay, and never follow a permanent failure. */
export function findAttemptViolations(call: Call): string[] {
  const { retry, effect, idempotency } = findContract(call);
  const broken: string[] = [];
  const delays = eventsOfKind(call.events, "delayed").filter(({ data }) => data.retry !== undefined);
  if (delays.length > retry.retries) broken.push(`[P8] ${delays.length} retries`);
  if (delays.some(({ data }, index) => data.retry !== index + 1)) broken.push("[P8] retries miscounted");
  const ends = eventsOfKind(call.events, "attempted");
  const final = ends.find(({ data }) => data.as === "permanent" || data.as === "succeeded");
  const intents = eventsOfKind(call.events, "intended");
  if (final && intents.some(({ seq }) => seq > final.seq)) broken.push("[P8] an intent after the end");
  for (const delay of delays) {
    const next = call.events.find(
      ({ seq, kind }) => seq > delay.seq && (kind === "intended" || kind === "attempted"),
    );
    if (next && next.at < delay.at + delay.data.waitMs - 50) broken.push("[P8] a retry before its time");
  }
  const doubted = ends.find(({ data }) => data.as === "ambiguous");
  if (idempotency === "none" && effect !== "read" && doubted && delays.some(({ seq }) => seq > doubted.seq))
    broken.push("[P8] a retry that the contract does not allow");
  if (effect === "read" && intents.some(({ data }) => !data.reserved && data.grant === undefined))
    broken.push("[P7] a read writes an intent only to use something up");
  if (call.attempts.some(({ ended }) => ended === undefined)) broken.push("[P7] an attempt without an end");
  if (intents.some((intent) => hasEndedLate(call, intent)))
    broken.push("[P15] an attempt outlived its deadline");
  const numbers = intents.map(({ data }) => data.attempt);
  if (new Set(numbers).size !== numbers.length) broken.push("[P7] two intents for one attempt");
  return broken;
}

/** [P7] Finds attempts that were given up before their deadline while the process that made them was alive. */
export function findEarlyGiveUps(simulation: Simulation, call: Call): string[] {
  const intents = simulation.store.rows().find((row) => row.call === call.call)?.intents ?? [];
  const tooSoon = intents.some(({ attempt, deadline, ended, writer }) => {
    const end = eventsOfKind(call.events, "attempted").find(({ data }) => data.attempt === attempt);
    return ended === "lost" && writer?.isAlive !== false && (end?.at ?? 0) < deadline;
  });
  return tooSoon ? ["[P7] given up although its process was still acting"] : [];
}

/**
 * Returns whether the process that acted recorded the end of the attempt after its deadline. A process that finds its
 * deadline passed does nothing. Success under a `probe` contract does not count, because a probe may record it later.
 */
function hasEndedLate(call: Call, intent: Event<"intended">): boolean {
  const end = eventsOfKind(call.events, "attempted").find(({ data }) => data.attempt === intent.data.attempt);
  const seen = end?.data.as === "ambiguous" || end?.data.as === "permanent";
  const succeeded = end?.data.as === "succeeded" && findContract(call).idempotency !== "probe";
  return (seen || succeeded) && (end?.at ?? 0) > intent.data.deadline;
}

export const findContract = (call: Call): Contract => contractByName.get(call.capability)!;
