import { explainNewRound, explainVoidRound } from "@paraph/core";
import { type Html, html, joinList, renderForeign, renderWords } from "../html/html.ts";
import { formatDuration, renderTime } from "../html/time.ts";
import type { ApprovalPage, PagePlan, PageVote } from "../page-data/approval-types.ts";
import { isGoodEnding, renderUnknownOutcome } from "./outcome-text.ts";
import { formatProgress, renderStepNumbers } from "./plan-section.ts";
import { isQuestion } from "./question-section.ts";
import { countMissingVotes, formatApprovals, renderGroups } from "./votes-section.ts";

/** Renders the round's status for this reader, at the top of the page. */
export function renderStatus(page: ApprovalPage): Html {
  const { tone, title, text, words } = toStatusText(page);
  return html`<div class="standing ${tone}" role="status"><p><strong>${title}</strong>${text && html` ${text}`}</p>${words !== undefined && renderWords(words)}</div>${hasAnswered(page) && renderNextLink(page)}`;
}

/** Returns whether the reader has nothing left to do on this page. */
function hasAnswered({ status, expiresAt, now, votes, reader }: ApprovalPage): boolean {
  return status !== "open" || expiresAt <= now || votes.some(({ by }) => by === reader.id);
}

function renderNextLink({ approval }: ApprovalPage): Html {
  return html`<p class="next"><a class="button small" href="/approvals/next?after=${approval}">Next request</a></p>`;
}

interface StatusText {
  readonly tone: "waiting" | "still" | "good" | "bad";
  readonly title: Html | string;
  readonly text?: Html | string;
  /** The words of the person who decided. */
  readonly words?: string | undefined;
}

function toStatusText(page: ApprovalPage): StatusText {
  switch (page.status) {
    case "open":
      return page.expiresAt <= page.now ? describeExpired(page) : describeOpen(page);
    case "approved":
      return {
        tone: page.outcome === undefined || isGoodEnding(page) ? "good" : "bad",
        title: html`${page.answer === undefined ? "Approved" : "Answered"} by ${renderVoters(page, "approve")}${renderLeftOut(page)}.`,
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

/** Describes a void round, such as one of a call that was edited or withdrawn, or whose basis changed. */
function describeVoid({ outcome, successor, reason: words, voidCode }: ApprovalPage): StatusText {
  if (outcome?.kind === "superseded") {
    const link =
      successor?.href !== undefined && html` <a href="${successor.href}">Review the new request</a>.`;
    const title =
      successor?.by === undefined
        ? "The capability's contract changed."
        : html`${renderForeign(successor.by)} edited this request.`;
    return {
      tone: "still",
      title,
      text: html`A new call replaced this one, which did not run.${link}`,
      words,
    };
  }
  if (outcome?.kind === "cancelled")
    return {
      tone: "still",
      title: "The requester cancelled this call.",
      text: "The call did not run.",
      words,
    };
  return {
    tone: "still",
    title: "This approval is void.",
    text: `${explainVoidRound(voidCode)} The call did not run.`,
  };
}

function describeOpen(page: ApprovalPage): StatusText {
  const { reader, guards, votes, now, expiresAt, round, voidCode } = page;
  const left = html`<span class="together">${formatDuration(expiresAt - now)} left</span>`;
  const own = votes.find(({ by }) => by === reader.id);
  if (own) {
    const people = countMissingVotes(guards, votes);
    const others = people === 1 ? "one more approver" : `${people} more approvers`;
    const text = html`Waiting for ${others}, ${left}. You can still deny it.`;
    const without = page.plan && own.declined && html` without ${renderStepNumbers(own.declined, page.plan)}`;
    return { tone: "still", title: html`You approved this${without} ${renderTime(own.at)}.`, text };
  }
  if (reader.voterStatus === "own-call") {
    const text = html`You can't approve your own request or your agent's. Another person has to decide, ${left}.`;
    return { tone: "still", title: "You cannot decide this request.", text };
  }
  if (reader.voterStatus === "own-edit") {
    const text = html`You edited this request, so another person has to approve it. You can deny it (${left}).`;
    return { tone: "still", title: "Waiting for another approver.", text };
  }
  if (reader.voterStatus === "reassigned") {
    const text = html`You reassigned this approval. The new approver decides, ${left}.`;
    return { tone: "still", title: "You can no longer approve this request.", text };
  }
  if (reader.voterStatus === "represented") {
    const text = html`Your delegate approved it on your behalf. Another person has to approve it too, ${left}. You can deny it.`;
    return { tone: "still", title: "You can no longer approve this request.", text };
  }
  if (reader.voterStatus === "not-in-group") {
    const text = html`Only members of ${renderGroups(guards)} can approve it. You can deny it (${left}).`;
    return { tone: "still", title: "You cannot approve this request.", text };
  }
  const again = round > 1 && html`${explainNewRound(voidCode)} `;
  if (reader.voterStatus === "confirmation") {
    const text = html`${again}No other person can approve this request. Your approval counts as a confirmation, and the receipt records it as one.`;
    return { tone: "waiting", title: html`Waiting for you · ${left}`, text };
  }
  const progress = html`<span class="together">${formatApprovals(guards, votes)}</span>`;
  const title = html`Waiting for your ${isQuestion(page) ? "answer" : "decision"} · ${left} · ${progress}`;
  return { tone: "waiting", title, ...(again && { text: again }) };
}

/** Describes a denial, or a return with instructions. */
function describeDenied(page: ApprovalPage): StatusText {
  const isReturned = page.votes.some(({ decision }) => decision === "return");
  return {
    tone: "bad",
    title: isReturned
      ? html`Returned with instructions by ${renderVoters(page, "return")}.`
      : html`Denied by ${renderVoters(page, "deny")}.`,
    text: "The call did not run.",
    words: page.votes.find(({ decision }) => decision !== "approve")?.reason,
  };
}

function describeExpired({ expiresAt }: ApprovalPage): StatusText {
  return {
    tone: "still",
    title: "This approval expired.",
    text: html`No decision arrived before ${renderTime(expiresAt)}. The call did not run.`,
  };
}

function describeResult(page: ApprovalPage): Html {
  const { state, outcome, contract, asker } = page;
  if (contract?.performer) return describeAgentReport(page, renderForeign(asker.id));
  if (state !== "closed" || !outcome)
    return page.plan ? describePlanProgress(page, page.plan) : describeRunning(page);
  switch (outcome.kind) {
    case "succeeded":
      return html`The call succeeded.`;
    case "unknown":
      return renderUnknownOutcome(page);
    default:
      return html`Outcome: ${outcome.kind} <code>${outcome.code}</code>.`;
  }
}

/** Renders the steps that the approvers left out, because the headline may name one of them. */
function renderLeftOut({ plan, votes }: ApprovalPage): Html | false {
  const ids = votes.flatMap(({ declined = [] }) => declined);
  return plan !== undefined && ids.length > 0 && html` without ${renderStepNumbers(ids, plan)}`;
}

function describeRunning(page: ApprovalPage): Html {
  return isQuestion(page)
    ? html`Paraph gives the answer to ${renderForeign(page.asker.id)}.`
    : html`The call is running.`;
}

function describePlanProgress({ approval }: ApprovalPage, plan: PagePlan): Html {
  return html`The plan is running. ${formatProgress(plan)} <a href="/approvals/${approval}">Refresh status</a>`;
}

/** Describes the state of a call that the agent performs itself, according to the agent's reports. */
function describeAgentReport(page: ApprovalPage, agent: Html): Html {
  const { state, outcome } = page;
  if (state === "performing") return html`${agent} is performing the call.`;
  if (state !== "closed" || !outcome) return html`${agent} may perform the call now.`;
  switch (outcome.kind) {
    case "succeeded":
      return html`${agent} reported that it performed the call.`;
    case "unknown":
      return html`${agent} started the call. ${renderUnknownOutcome(page)}`;
    default:
      return html`Outcome: ${outcome.kind} <code>${outcome.code}</code>.`;
  }
}

function renderVoters({ votes }: ApprovalPage, decision: PageVote["decision"]): Html {
  const names = votes.filter((vote) => vote.decision === decision).map(({ by }) => renderForeign(by));
  return names.length > 0 ? joinList(names) : html`no recorded voter`;
}
