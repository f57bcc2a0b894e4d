import { answerGuard, type Guard } from "@paraph/core";
import { type Html, html, joinList, renderForeign, renderWords } from "../html/html.ts";
import { renderAgo } from "../html/time.ts";
import type { ApprovalPage, PagePlan, PageRequester, PageVote } from "../page-data/approval-types.ts";
import { renderGuardSteps, renderStepNumbers } from "./plan-section.ts";

const kindTexts: Readonly<Record<PageRequester["kind"], string>> = {
  agent: "agent",
  service: "service",
  person: "person",
};

/** Renders the requester, the person it acts for, and its owner. */
export function renderRequester({ id, kind, owner, onBehalfOf }: PageRequester): Html {
  return html`Requested by <strong>${renderForeign(id)}</strong> (${kindTexts[kind]})${
    onBehalfOf !== undefined && html` on behalf of <strong>${renderForeign(onBehalfOf)}</strong>`
  }.${owner !== undefined && html` <span class="quiet">Owner: ${renderForeign(owner)}.</span>`}`;
}

/** Renders why Paraph asks approvers: the sentence of the strictest policy, and the others collapsed. */
export function renderReasons(guards: readonly Guard[], plan?: PagePlan): Html {
  const [strictest, ...others] = guards
    .toSorted((a, b) => rankStrictness(b) - rankStrictness(a))
    .map((guard) => renderReason(guard, plan));
  if (!strictest) return html``;
  return html`<ul class="plain why" aria-label="Why approval is required">${strictest}</ul>${
    others.length > 0 &&
    html`<details class="why"><summary>${others.length === 1 ? "One more policy asks" : `${others.length} more policies ask`}</summary><ul class="plain">${others}</ul></details>`
  }`;
}

const rankStrictness = ({ quorum, proof }: Guard): number => quorum + (proof === undefined ? 0 : 0.5);

function renderReason(guard: Guard, plan: PagePlan | undefined): Html {
  const places = renderGuardSteps(guard, plan);
  return html`<li>${renderForeign(guard.sentence)} <span class="quiet">${places && html`for ${places}, `}policy <code>${renderForeign(guard.id)}</code></span></li>`;
}

/** Formats the votes of the guard that misses most of them, such as `1 of 2 approvals`. */
export function formatApprovals(guards: readonly Guard[], votes: readonly PageVote[]): string {
  const [first] = guards
    .map((guard) => ({
      id: guard.id,
      quorum: guard.quorum,
      have: Math.min(countVotes(guard, votes), guard.quorum),
    }))
    .toSorted((a, b) => b.quorum - b.have - (a.quorum - a.have));
  return first ? `${first.have} of ${first.quorum} ${nameVotes(first)}` : "0 of 1 approval";
}

/** Returns the noun for the votes that a guard demands. The votes about a question are its answers. */
export function nameVotes({ id, quorum }: Pick<Guard, "id" | "quorum">): string {
  const noun = id === answerGuard.id ? "answer" : "approval";
  return quorum === 1 ? noun : `${noun}s`;
}

/** Renders the progress of each quorum, and the votes. */
export function renderVotes({ guards, votes, plan, now }: ApprovalPage): Html {
  const quorums = guards.map((guard) => {
    const { id, quorum, group, proof } = guard;
    const have = Math.min(countVotes(guard, votes), quorum);
    const places = renderGuardSteps(guard, plan);
    return html`<li><strong>${have} of ${quorum}</strong> ${nameVotes(guard)}${group !== undefined && html` from ${renderForeign(group)}`}${proof === "passkey" && " with a passkey"} <span class="quiet">${places && html`for ${places}, `}policy <code>${renderForeign(id)}</code></span></li>`;
  });
  const cast = votes.map(
    ({ by, at, declined, reason, ...vote }) =>
      html`<li><span class="vote ${vote.decision}">${formatVote(vote)}</span> by ${renderForeign(by)}${vote.proof && " with a passkey"}${plan && declined && html`, without ${renderStepNumbers(declined, plan)}`} ${renderAgo(at, now)}${reason !== undefined && renderWords(reason)}</li>`,
  );
  return html`<ul class="plain">${quorums}${cast}</ul>`;
}

/** Returns how many votes are missing until every guard has its quorum. */
export function countMissingVotes(guards: readonly Guard[], votes: readonly PageVote[]): number {
  return Math.max(0, ...guards.map((guard) => guard.quorum - countVotes(guard, votes)));
}

/** Renders the groups whose votes the guards demand. */
export function renderGroups(guards: readonly Guard[]): Html {
  const names = new Set(guards.flatMap(({ group }) => (group === undefined ? [] : [group])));
  return joinList([...names].map(renderForeign));
}

function countVotes({ group }: Guard, votes: readonly PageVote[]): number {
  return votes.filter(
    ({ decision, groups = [] }) => decision === "approve" && (group === undefined || groups.includes(group)),
  ).length;
}

/** Says how a person voted. */
export function formatVote({
  decision,
  as,
  answered,
}: Pick<PageVote, "decision" | "as" | "answered">): string {
  if (decision === "deny") return "Denied";
  if (decision === "return") return "Returned";
  if (answered) return "Answered";
  return as === "confirmation" ? "Confirmed" : "Approved";
}
