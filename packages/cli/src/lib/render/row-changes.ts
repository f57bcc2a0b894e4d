import type { RebuiltCall } from "@paraph/core";
import { escapeInvisible } from "@paraph/core/escape-invisible";
import { formatCount } from "../terminal/format-count.ts";

type Round = RebuiltCall["rounds"][number];

export function describeRowChanges(before: RebuiltCall | undefined, after: RebuiltCall): string[] {
  return [
    ...describeState(before, after),
    ...after.rounds.flatMap((round, index) => describeRound(before?.rounds[index], round)),
    ...after.attempts.flatMap(({ attempt, ended }, index) => {
      const earlier = before?.attempts[index];
      if (!earlier) return [`attempt ${attempt} under way`];
      return earlier.ended === ended ? [] : [`attempt ${attempt} ${ended}`];
    }),
    ...describeLocks(before, after),
    ...(after.deadline === before?.deadline || before?.deadline === undefined ? [] : ["deadline changed"]),
    ...(after.resolution && !before?.resolution ? [`found: ${after.resolution.finding}`] : []),
  ];
}

function describeState(before: RebuiltCall | undefined, { state, outcome }: RebuiltCall): string[] {
  if (before?.state === state) return [];
  const now = outcome && state === "closed" ? `closed (${escapeInvisible(outcome.kind)})` : state;
  return [before ? `${before.state} → ${now}` : now];
}

function describeRound(before: Round | undefined, { round, status, votes, guards }: Round): string[] {
  const yes = votes.filter(({ decision }) => decision === "approve").length;
  const said = before?.votes.filter(({ decision }) => decision === "approve").length ?? 0;
  const quorum = Math.max(1, ...guards.map((guard) => guard.quorum));
  if (!before) return [`round ${round} open, ${yes} of ${quorum} approvals`];
  return [
    ...(yes === said ? [] : [`round ${round}: ${yes} of ${quorum} approvals`]),
    ...(before.status === status ? [] : [`round ${round} ${status}`]),
  ];
}

function describeLocks(before: RebuiltCall | undefined, { held, queued }: RebuiltCall): string[] {
  const had = before?.held ?? 0;
  return [
    ...(queued && !before?.queued ? [`queued for ${formatCount(queued.keys, "lock")}`] : []),
    ...(held > had ? [`${formatCount(held, "lock")} held`] : []),
    ...(had > 0 && held === 0 ? [`${formatCount(had, "lock")} released`] : []),
  ];
}
