import { formatCalls } from "../html/code-block.ts";
import { type Html, html, renderForeign } from "../html/html.ts";
import { formatDuration, renderTime } from "../html/time.ts";
import type { InboxItem, InboxPage } from "../page-data/list-types.ts";
import { formatStepCount } from "../sections/plan-section.ts";
import { nameVotes } from "../sections/votes-section.ts";
import { renderLayout } from "./layout.ts";

/** Renders the open approvals, the soonest to expire first. Approvals that wait for other people come below. */
export function renderInboxPage({ reader, items, now, next }: InboxPage): string {
  const yours = items.filter(({ notYours }) => notYours === undefined);
  const others = items.filter(({ notYours }) => notYours !== undefined);
  return renderLayout(
    "Approvals",
    reader,
    html`<main class="inbox">
    <h1>${yours.length === 0 ? "No approvals wait for you" : "Waiting for you"}</h1>
    ${yours.length > 0 ? renderList(yours, now) : html`<p class="quiet">Calls that need your approval appear here.</p>`}
    ${others.length > 0 && html`<h2>Waiting for others</h2>${renderList(others, now)}`}
    ${next !== undefined && html`<p><a class="button" href="/approvals?after=${next}">Show later approvals</a></p>`}
    <p><a href="/approvals/decided">Decided by you</a> · <a href="/approvals/unknown">Calls with unknown outcomes</a> · <a href="/notifications">Notifications</a></p>
  </main>`,
  );
}

function renderList(items: readonly InboxItem[], now: number): Html {
  return html`<ul class="plain items">${items.map((item) => renderItem(item, now))}</ul>`;
}

function renderItem(item: InboxItem, now: number): Html {
  const { approval, headline, capability, contract, asker, expiresAt, flood, steps } = item;
  const bundle = `/approvals/bundle?${new URLSearchParams({ principal: asker.id, capability })}`;
  return html`<li><a href="${flood === undefined ? `/approvals/${approval}` : bundle}">
    <span class="what">${renderForeign(headline)}${flood && ` and ${formatCalls(flood.count - 1, "more ")}`}</span>
    <span class="tags">${contract && html`<span class="risk ${contract.risk}">${contract.risk} risk</span> `}<code>${renderForeign(capability)}</code>${steps !== undefined && html` <span class="quiet">${formatStepCount(steps)}</span>`}</span>
    <span class="who">Requester: ${renderForeign(asker.id)} · ${formatTurn(item)}</span>
    <span class="until"><strong>${formatDuration(expiresAt - now)} left</strong> ${renderTime(expiresAt)}</span>
  </a></li>`;
}

function formatTurn({ notYours, guards, votes, flood }: InboxItem): string {
  if (flood && notYours === undefined && flood.others > 0)
    return `${formatCalls(flood.others)} for another person`;
  return notYours === undefined ? formatNeeds(guards, votes) : formatNotYours(notYours);
}

/** Says why the reader does not decide a request. */
export function formatNotYours(notYours: NonNullable<InboxItem["notYours"]>): string {
  if (notYours === "own-call") return "your own or your agent's request";
  if (notYours === "reassigned") return "you reassigned it";
  if (notYours === "represented") return "your delegate approved it";
  if (notYours === "own-edit") return "you edited it, so another person decides";
  if (notYours === "not-in-group") return "another group decides";
  return "you already voted";
}

function formatNeeds(guards: InboxItem["guards"], votes: number): string {
  const [largest] = guards.toSorted((a, b) => b.quorum - a.quorum);
  if (!largest) return "needs 1 approval";
  return largest.quorum > 1 ? `${votes} of ${largest.quorum} approved` : `needs 1 ${nameVotes(largest)}`;
}
