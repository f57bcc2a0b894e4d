import { type Html, html, renderForeign, renderWords } from "../html/html.ts";
import { formatAgo, renderTime } from "../html/time.ts";
import type { DecidedItem, DecidedPage } from "../page-data/list-types.ts";
import { formatStepCount } from "../sections/plan-section.ts";
import { formatVote } from "../sections/votes-section.ts";
import { renderLayout } from "./layout.ts";

/** Renders the reader's own decisions, newest first, each with what has come of the call. */
export function renderDecidedPage({ reader, now, items, next }: DecidedPage): string {
  return renderLayout(
    "Decided by you",
    reader,
    html`<main class="inbox"><h1>Decided by you</h1>
    ${items.length === 0 && html`<p class="quiet">${next === undefined ? "Your decisions appear here." : "No decision in this part of the record."}</p>`}
    <ul class="plain items">${items.map((item) => renderItem(item, now))}</ul>
    ${next !== undefined && html`<p><a class="button" href="/approvals/decided?before=${next}">Show older decisions</a></p>`}
    <p><a href="/approvals">Open approvals</a></p>
  </main>`,
  );
}

function renderItem(item: DecidedItem, now: number): Html {
  const { call, headline, capability, risk, asker, at, reason } = item;
  return html`<li><a href="/calls/${call}">
    <span class="what">${renderForeign(headline)}</span>
    <span class="tags">${risk && html`<span class="risk ${risk}">${risk} risk</span> `}<code>${renderForeign(capability)}</code></span>
    <span class="who">Requester: ${renderForeign(asker)} · <span class="vote ${item.decision}">${formatVote(item)}</span>${renderLeftOut(item)} ${formatAgo(at, now)}, ${renderTime(at)}</span>
    <span class="until"><strong>${describeResult(item)}</strong></span>
    ${reason !== undefined && renderWords(reason)}
  </a></li>`;
}

function renderLeftOut({ leftOut: [first, ...rest] = [] }: DecidedItem): Html | false {
  if (first === undefined) return false;
  return html` without “${renderForeign(first)}”${rest.length > 0 && ` and ${formatStepCount(rest.length)} more`},`;
}

function describeResult({ state, outcome, resolution, undone }: DecidedItem): string {
  if (undone) return "Undone";
  if (state === "asking") return "Waiting for others";
  if (!outcome) return "In progress";
  switch (outcome.kind) {
    case "succeeded":
      return "Succeeded";
    case "denied":
      return "Did not run";
    case "unknown":
      if (!resolution) return "Outcome unknown";
      return resolution.finding === "happened" ? "Took effect" : "Did not take effect";
    case "superseded":
      return "Replaced by another call";
    default:
      return `Outcome: ${outcome.kind}`;
  }
}
