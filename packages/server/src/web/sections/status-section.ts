import { type Html, html, joinList, renderForeign } from "../html/html.ts";
import { formatDuration, renderTime } from "../html/time.ts";
import type { ApprovalPage, PagePlan, PageVote } from "../page-data/page-types.ts";
import { formatProgress, renderStepNumbers } from "./plan-section.ts";
import { countMissingVotes, renderGroups } from "./votes-section.ts";

/** Renders the round's status for this reader, at the top of the page. */
export function renderStatus(page: ApprovalPage): Html {
  const { tone, title, text } = toStatusText(page);
  return html`<div class="standing ${tone}" role="status"><p><strong>${title}</strong>${text && html` ${text}`}</p></div>`;
}

interface StatusText {
  readonly tone: "waiting" | "still" | "good" | "bad";
  readonly title: Html | string;
  readonly text?: Html | string;
}

function toStatusText(page: ApprovalPage): StatusText {
  switch (page.status) {
    case "open":
      return page.expiresAt <= page.now ? describeExpired(page) : describeOpen(page);
    case "approved":
      return {
        tone: "good",
        title: html`Approved by ${renderVoters(page, "approve")}.`,
        text: describeResult(page),
      };
    case "denied":
      return describeDenied(page);
    case "expired":
      return describeExpired(page);
    case "void":
      return describeVoid(page);
  }
}

/** Describes a void round: the call was edited or withdrawn, or its basis changed. */
function describeVoid({ outcome, successor }: ApprovalPage): StatusText {
  if (outcome?.kind === "superseded") {
    const link =
      successor?.href !== undefined && html` <a href="${successor.href}">Look at what is asked now</a>.`;
    const title =
      successor?.by === undefined
        ? "Its contract has changed."
        : html`${renderForeign(successor.by)} edited this.`;
    return { tone: "still", title, text: html`Another call took its place, and nothing was done.${link}` };
  }
  if (outcome?.kind === "cancelled")
    return { tone: "still", title: "Who asked has taken it back.", text: "Nothing was done." };
  return {
    tone: "still",
    title: "This question was withdrawn.",
    text: "What it rested on has moved, and nothing was done.",
  };
}

function describeOpen(page: ApprovalPage): StatusText {
  const { reader, guards, votes, now, expiresAt, round } = page;
  const left = html`<span class="together">${formatDuration(expiresAt - now)} left</span>`;
  const own = votes.find(({ by }) => by === reader.id);
  if (own) {
    const people = countMissingVotes(guards, votes);
    const others = people === 1 ? "one more person" : `${people} more people`;
    const text = html`It waits for ${others}, ${left}. You can still deny it.`;
    const without = page.plan && own.declined && html` without ${renderStepNumbers(own.declined, page.plan)}`;
    return { tone: "still", title: html`You approved this${without} ${renderTime(own.at)}.`, text };
  }
  if (reader.voterStatus === "own-call") {
    const text = html`You asked for it, or answer for who did: somebody else has to, ${left}.`;
    return { tone: "still", title: "You cannot decide this one.", text };
  }
  if (reader.voterStatus === "own-edit") {
    const text = html`You edited this request, so another person has to approve it. You can deny it, ${left}.`;
    return { tone: "still", title: "This is not yours to approve.", text };
  }
  if (reader.voterStatus === "handed-over") {
    const text = html`You handed it over: who has it now decides in your place, ${left}.`;
    return { tone: "still", title: "This is not yours to approve any more.", text };
  }
  if (reader.voterStatus === "represented") {
    const text = html`Your stand-in approved it in your place. Another person has to approve it too, ${left}. You can deny it.`;
    return { tone: "still", title: "This is not yours to approve any more.", text };
  }
  if (reader.voterStatus === "not-in-group") {
    const text = html`Only members of ${renderGroups(guards)} can approve it. You can deny it, ${left}.`;
    return { tone: "still", title: "This is not yours to approve.", text };
  }
  const again = round > 1 && html`Asked again, because what it rests on has moved: look anew. `;
  if (reader.voterStatus === "confirmation") {
    const text = html`${again}Nobody else is here to ask: your own yes counts as a confirmation, and the receipt says so.`;
    return { tone: "waiting", title: html`Waiting for you · ${left}`, text };
  }
  return { tone: "waiting", title: html`Waiting for your answer · ${left}`, ...(again && { text: again }) };
}

/** Describes a denial, or a return with instructions. */
function describeDenied(page: ApprovalPage): StatusText {
  const isReturned = page.votes.some(({ decision }) => decision === "return");
  const reason = page.reason !== undefined && html` They say: “${renderForeign(page.reason)}”`;
  return {
    tone: "bad",
    title: isReturned
      ? html`Returned with instructions by ${renderVoters(page, "return")}.`
      : html`Denied by ${renderVoters(page, "deny")}.`,
    text: html`Nothing was done.${reason}`,
  };
}

function describeExpired({ expiresAt }: ApprovalPage): StatusText {
  return {
    tone: "still",
    title: "Nobody decided in time.",
    text: html`It expired ${renderTime(expiresAt)}, and nothing was done.`,
  };
}

function describeResult(page: ApprovalPage): Html {
  const { state, outcome, contract, asker } = page;
  if (contract?.performer) return describeAgentReport(page, renderForeign(asker.id));
  if (state !== "closed" || !outcome)
    return page.plan ? describePlanProgress(page, page.plan) : html`It is being performed now, once.`;
  switch (outcome.kind) {
    case "succeeded":
      return html`It was performed, once.`;
    case "unknown":
      return html`It was tried, and whether it happened is not known: somebody has to look.`;
    default:
      return html`It ended as ${outcome.kind} <code>${outcome.code}</code>.`;
  }
}

function describePlanProgress({ approval }: ApprovalPage, plan: PagePlan): Html {
  return html`Its steps are taken now: ${formatProgress(plan)} <a href="/approvals/${approval}">Look again</a>`;
}

/** Describes a call that the agent performs itself, as far as the agent reported. */
function describeAgentReport({ state, outcome }: ApprovalPage, agent: Html): Html {
  if (state === "performing") return html`${agent} is performing it now, itself.`;
  if (state !== "closed" || !outcome) return html`${agent} may perform it now, itself.`;
  switch (outcome.kind) {
    case "succeeded":
      return html`It was performed by the agent: ${agent} says so.`;
    case "unknown":
      return html`${agent} took it to perform it, and whether it happened is not known: somebody has to look.`;
    default:
      return html`It ended as ${outcome.kind} <code>${outcome.code}</code>.`;
  }
}

function renderVoters({ votes }: ApprovalPage, decision: PageVote["decision"]): Html {
  const names = votes.filter((vote) => vote.decision === decision).map(({ by }) => renderForeign(by));
  return names.length > 0 ? joinList(names) : html`nobody`;
}
