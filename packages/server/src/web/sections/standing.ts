import { type Html, html, listed, said } from "./html.ts";
import { groupsOf, missing } from "./people.ts";
import { placesOf, progressOf } from "./plan.ts";
import { moment, span } from "./time.ts";
import type { ApprovalPage, PagePlan, PageVote } from "./view.ts";

/** Where the round stands, for this reader: the first thing the page says. */
export function standingHtml(page: ApprovalPage): Html {
  const { tone, title, text } = standingOf(page);
  return html`<div class="standing ${tone}" role="status"><p><strong>${title}</strong>${text && html` ${text}`}</p></div>`;
}

interface Said {
  readonly tone: "waiting" | "still" | "good" | "bad";
  readonly title: Html | string;
  readonly text?: Html | string;
}

function standingOf(page: ApprovalPage): Said {
  switch (page.status) {
    case "open":
      return page.expiresAt <= page.now ? expired(page) : open(page);
    case "approved":
      return { tone: "good", title: html`Approved by ${voters(page, "approve")}.`, text: sequel(page) };
    case "denied":
      return denied(page);
    case "expired":
      return expired(page);
    case "void":
      return voided(page);
  }
}

/** Nobody can answer it any more: it was edited, taken back, or what it rested on has moved. */
function voided({ outcome, successor }: ApprovalPage): Said {
  if (outcome?.kind === "superseded") {
    const link =
      successor?.href !== undefined && html` <a href="${successor.href}">Look at what is asked now</a>.`;
    const title =
      successor?.by === undefined ? "Its contract has changed." : html`${said(successor.by)} edited this.`;
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

function open(page: ApprovalPage): Said {
  const { reader, guards, votes, now, expiresAt, round } = page;
  const left = html`<span class="together">${span(expiresAt - now)} left</span>`;
  const own = votes.find(({ by }) => by === reader.id);
  if (own) {
    const people = missing(guards, votes);
    const others = people === 1 ? "one more person" : `${people} more people`;
    const text = html`It waits for ${others}, ${left}. You can still deny it.`;
    const without = page.plan && own.declined && html` without ${placesOf(own.declined, page.plan)}`;
    return { tone: "still", title: html`You approved this${without} ${moment(own.at)}.`, text };
  }
  if (reader.standing === "own-call") {
    const text = html`You asked for it, or answer for who did: somebody else has to, ${left}.`;
    return { tone: "still", title: "You cannot decide this one.", text };
  }
  if (reader.standing === "own-edit") {
    const text = html`You edited this request, so another person has to approve it. You can deny it, ${left}.`;
    return { tone: "still", title: "This is not yours to approve.", text };
  }
  if (reader.standing === "handed-over") {
    const text = html`You handed it over: who has it now decides in your place, ${left}.`;
    return { tone: "still", title: "This is not yours to approve any more.", text };
  }
  if (reader.standing === "represented") {
    const text = html`Your stand-in approved it in your place. Another person has to approve it too, ${left}. You can deny it.`;
    return { tone: "still", title: "This is not yours to approve any more.", text };
  }
  if (reader.standing === "not-in-group") {
    const text = html`Only members of ${groupsOf(guards)} can approve it. You can deny it, ${left}.`;
    return { tone: "still", title: "This is not yours to approve.", text };
  }
  const again = round > 1 && html`Asked again, because what it rests on has moved: look anew. `;
  if (reader.standing === "confirmation") {
    const text = html`${again}Nobody else is here to ask: your own yes counts as a confirmation, and the receipt says so.`;
    return { tone: "waiting", title: html`Waiting for you · ${left}`, text };
  }
  return { tone: "waiting", title: html`Waiting for your answer · ${left}`, ...(again && { text: again }) };
}

/** A no, or a no with instructions for what to do instead. */
function denied(page: ApprovalPage): Said {
  const isReturned = page.votes.some(({ decision }) => decision === "return");
  const reason = page.reason !== undefined && html` They say: “${said(page.reason)}”`;
  return {
    tone: "bad",
    title: isReturned
      ? html`Returned with instructions by ${voters(page, "return")}.`
      : html`Denied by ${voters(page, "deny")}.`,
    text: html`Nothing was done.${reason}`,
  };
}

function expired({ expiresAt }: ApprovalPage): Said {
  return {
    tone: "still",
    title: "Nobody decided in time.",
    text: html`It expired ${moment(expiresAt)}, and nothing was done.`,
  };
}

/** What became of the call that was approved. */
function sequel(page: ApprovalPage): Html {
  const { state, outcome, contract, asker } = page;
  if (contract?.performer) return reported(page, said(asker.id));
  if (state !== "closed" || !outcome)
    return page.plan ? begunHtml(page, page.plan) : html`It is being performed now, once.`;
  switch (outcome.kind) {
    case "succeeded":
      return html`It was performed, once.`;
    case "unknown":
      return html`It was tried, and whether it happened is not known: somebody has to look.`;
    default:
      return html`It ended as ${outcome.kind} <code>${outcome.code}</code>.`;
  }
}

function begunHtml({ approval }: ApprovalPage, plan: PagePlan): Html {
  return html`Its steps are taken now: ${progressOf(plan)} <a href="/approvals/${approval}">Look again</a>`;
}

/** What the agent performs itself, as far as it has said so. */
function reported({ state, outcome }: ApprovalPage, agent: Html): Html {
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

function voters({ votes }: ApprovalPage, decision: PageVote["decision"]): Html {
  const names = votes.filter((vote) => vote.decision === decision).map(({ by }) => said(by));
  return names.length > 0 ? listed(names) : html`nobody`;
}
