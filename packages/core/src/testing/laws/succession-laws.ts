import type { Call } from "../../call.ts";
import { listEditors } from "../../editors.ts";
import { eventsOfKind, lastEvent } from "../../event.ts";
import type { EffectRecord } from "../simulation/external-system.ts";

/** [P6] Checks that a superseded call has exactly one successor, which it names and which keeps its deadline. */
export function findSuccessionViolations(calls: readonly Call[]): string[] {
  const broken: string[] = [];
  const byId = new Map(calls.map((call) => [call.call, call]));
  for (const old of calls) {
    const successors = calls.filter(({ supersedes }) => supersedes === old.call);
    const ended = old.outcome?.kind === "superseded";
    if (successors.length !== (ended ? 1 : 0))
      broken.push(`[P6] ${old.call} ended ${old.outcome?.kind} with ${successors.length} successors`);
    if (ended && lastEvent(old.events, "closed")?.data.successor !== successors[0]?.call)
      broken.push(`[P6] ${old.call} names another successor`);
  }
  for (const call of calls) {
    const old = call.supersedes === undefined ? undefined : byId.get(call.supersedes);
    if (old)
      broken.push(...findSuccessorViolations(old, call).map((law) => `${law} (${old.call}, ${call.call})`));
    if (call.approval && call.approval.expiresAt > (call.deadline ?? 0))
      broken.push(`[P6] a round of ${call.call} reaches beyond its deadline`);
  }
  return broken;
}

function findSuccessorViolations(old: Call, call: Call): string[] {
  const edited = old.outcome?.code === "edited";
  return [
    ...(old.deadline !== undefined && call.deadline !== old.deadline
      ? ["[P6] a successor with another deadline"]
      : []),
    ...(call.principal.id === old.principal.id && call.requestDigest === old.requestDigest
      ? []
      : ["[P6] a successor of another request"]),
    ...((edited ? call.editedBy !== undefined : call.editedBy === old.editedBy)
      ? []
      : ["[P6] who wrote it so is forgotten, or named in vain"]),
    ...(listEditors(old).every((editor) => listEditors(call).includes(editor))
      ? []
      : ["[TRUST 28] an earlier editor is forgotten"]),
    ...(call.capability === old.capability ? [] : ["[TRUST 14] a successor of another capability"]),
  ];
}

/**
 * [P7] Checks that only an unknown outcome has a resolution, that the resolution is recorded once, and that a probe
 * reports the truth.
 */
export function findResolutionViolations(call: Call, effects: readonly EffectRecord[]): string[] {
  const { resolution, outcome, events } = call;
  const told = eventsOfKind(events, "resolved");
  if (told.length !== (resolution ? 1 : 0)) return ["[P7] a resolution and its event disagree"];
  if (!resolution) return [];
  return [
    ...(outcome?.kind === "unknown" ? [] : ["[P7] resolved though its outcome was known"]),
    ...(told[0]?.data.finding === resolution.finding ? [] : ["[P7] resolved twice"]),
    ...(resolution.how === "probe" && resolution.finding === "happened" && effects.length === 0
      ? ["[P7] a probe found what is not there"]
      : []),
  ];
}
