import { type Html, html, renderForeign } from "../html/html.ts";
import { renderAgo } from "../html/time.ts";
import type { CallPage } from "../page-data/approval-types.ts";
import { renderBasis, renderChangesSection } from "../sections/changes-section.ts";
import { isGoodEnding, renderUnknownOutcome } from "../sections/outcome-text.ts";
import { effectTexts, formatProgress } from "../sections/plan-section.ts";
import { renderRequester } from "../sections/votes-section.ts";
import { renderLayout } from "./layout.ts";

/** Renders the page of a call without an approval: its content and its outcome. */
export function renderCallPage(page: CallPage): string {
  const { headline, contract, capability, asker, plan, call, state, createdAt } = page;
  const shown = { ...page, opened: false, mustOpen: false };
  return renderLayout(
    headline,
    page.reader,
    html`<main class="approval"><header>${renderCallStatus(page)}<h1>${renderForeign(headline)}</h1>
    <p class="tags">${contract && html`<span class="risk ${contract.risk}">${contract.risk} risk</span> <span class="quiet">${effectTexts[contract.effect]}</span> `}<code>${renderForeign(capability)}</code></p>
    <p class="asker">${renderRequester(asker)}</p>${renderParent(page)}</header>
    <div class="columns"><section class="substance" aria-labelledby="changes"><h2 id="changes">${plan ? "Steps" : "Changes"}</h2>${renderChangesSection(shown)}${renderBasis(shown)}</section>
    <aside aria-label="About this call"><section class="card"><h2>Details</h2>
      <dl><div><dt>Requested</dt><dd>${renderAgo(createdAt, page.now)}</dd></div><div><dt>Call</dt><dd><code>${renderForeign(call)}</code></dd></div></dl>
      ${state === "closed" && html`<p><a href="/calls/${call}/receipt">View signed receipt</a></p>`}</section></aside></div>
  </main>`,
  );
}

/** Renders a link to the plan that a step belongs to. */
export function renderParent({ parent }: Pick<CallPage, "parent">): Html {
  return parent
    ? html`<p class="parent">Step <code>${renderForeign(parent.step)}</code> of <a href="${parent.href}">a plan</a>.</p>`
    : html``;
}

function renderCallStatus(page: CallPage): Html {
  const { state, outcome, plan, call } = page;
  const said = (tone: string, text: Html | string) =>
    html`<div class="standing ${tone}" role="status"><p>${text}</p></div>`;
  if (outcome?.kind === "succeeded") return said("good", html`<strong>The call succeeded.</strong>`);
  if (outcome?.kind === "unknown")
    return said(isGoodEnding(page) ? "good" : "bad", renderUnknownOutcome(page));
  if (outcome)
    return said("bad", html`<strong>Outcome: ${outcome.kind}</strong> <code>${outcome.code}</code>.`);
  if (!plan)
    return said(
      "waiting",
      html`<strong>The call is in progress.</strong> Its state is <code>${state}</code>.`,
    );
  return said(
    "waiting",
    html`<strong>${formatProgress(plan)}</strong> <a href="/calls/${call}">Refresh status</a>`,
  );
}
