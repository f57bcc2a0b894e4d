import { type Html, html, renderForeign, renderWords } from "../html/html.ts";
import { passkeyScriptPath } from "../html/passkey-script.ts";
import { formatDuration, renderAgo, renderTime } from "../html/time.ts";
import { formatFingerprint } from "../html/values.ts";
import type { ApprovalPage } from "../page-data/approval-types.ts";
import { renderBasis, renderChangesSection } from "../sections/changes-section.ts";
import { renderAcknowledgements, renderComments, renderReassignForm } from "../sections/comments-section.ts";
import { renderDecisionForm } from "../sections/decision-form.ts";
import { renderChecks, renderHistory } from "../sections/evidence-section.ts";
import { renderNotUndone } from "../sections/not-undone-section.ts";
import { effectTexts } from "../sections/plan-section.ts";
import { isQuestion } from "../sections/question-section.ts";
import { renderSinceLastRound } from "../sections/since-last-round.ts";
import { renderStatus } from "../sections/status-section.ts";
import { renderUnverified } from "../sections/unverified-section.ts";
import { renderReasons, renderRequester, renderVotes } from "../sections/votes-section.ts";
import { renderParent } from "./call-page.ts";
import { renderLayout } from "./layout.ts";

/** Renders everything about one approval: the changes, the requester, the reasons and the decision form. */
export function renderApprovalPage(page: ApprovalPage): string {
  const { checks, history, preview, earlier, messages, forms } = page;
  return renderLayout(
    page.headline,
    page.reader.id,
    html`<main class="approval">
    <header>${renderStatus(page)}${renderTitle(page)}</header>
    <div class="columns"><section class="substance" aria-labelledby="changes"><h2 id="changes">${formatHeading(page)}</h2>${renderChangesSection(page)}
    ${page.notUndone.length > 0 && renderNotUndone(page.notUndone)}
    ${earlier && typeof preview === "object" && renderSinceLastRound(earlier, preview, page.opened)}
    ${renderUnverified("Purpose", page.purpose, page.opened)}${renderUnverified("State", page.compressedState, page.opened)}${renderBasis(page)}</section>
    <aside aria-label="About this approval">
      ${renderCard("Votes", renderVotes(page))}
      ${checks.length > 0 && renderCard("Checks", renderChecks(checks))}
      ${history && renderCard("History", renderHistory(page, history))}
      ${(messages.length > 0 || forms.say !== undefined) && renderCard("Comments", renderComments(page))}
      ${(page.acknowledgedBy.length > 0 || (forms.say !== undefined && isApprover(page))) && page.status === "open" && renderCard("Acknowledgement", renderAcknowledgements(page))}
      ${forms.say !== undefined && forms.deny !== undefined && isApprover(page) && renderCard("Reassign this approval", renderReassignForm(page))}
      ${renderCard("Details", renderDetails(page))}
    </aside></div>
    ${renderDecisionForm(page)}
  </main>`,
    page.needsPasskey === true ? passkeyScriptPath : undefined,
  );
}

function isApprover({ reader }: ApprovalPage): boolean {
  return reader.voterStatus === "approver" || reader.voterStatus === "confirmation";
}

function formatHeading(page: ApprovalPage): string {
  const { plan, status } = page;
  if (plan) return "Steps";
  if (isQuestion(page)) return "Question";
  return status === "open" ? "What will change" : "Requested changes";
}

function renderTitle(page: ApprovalPage): Html {
  const { headline, contract, capability, asker, guards, editedBy, editReason, plan } = page;
  return html`<h1>${renderForeign(headline)}</h1>
    <p class="tags">${contract && html`<span class="risk ${contract.risk}">${contract.risk} risk</span> <span class="quiet">${effectTexts[contract.effect]}</span> `}<code>${renderForeign(capability)}</code></p>
    <p class="asker">${renderRequester(asker)}${contract?.performer && html` <strong>The agent performs this call itself.</strong> Your approval allows it, and Paraph records the result that the agent reports.`}${editedBy !== undefined && html` <strong>${renderForeign(editedBy)}</strong> edited the input.`}</p>${editReason !== undefined && renderWords(editReason)}
    ${renderParent(page)}${renderReasons(guards, plan)}`;
}

function renderCard(title: string, body: Html): Html {
  return html`<section class="card"><h2>${title}</h2>${body}</section>`;
}

/** Renders when an open approval expires, or when it expired. For a decided approval, that time means nothing. */
function renderExpiry({ status, expiresAt, now }: ApprovalPage): readonly (readonly [string, Html])[] {
  if (status === "expired" || (status === "open" && expiresAt <= now))
    return [["Expired", renderAgo(expiresAt, now)]];
  if (status !== "open") return [];
  const left = html`in ${formatDuration(expiresAt - now)} <span class="quiet exact">${renderTime(expiresAt)}</span>`;
  return [["Expires", left]];
}

function renderDetails(page: ApprovalPage): Html {
  const { askedAt, now, digest, round, approval, call, state } = page;
  const rows: readonly (readonly [string, Html])[] = [
    ["Requested", renderAgo(askedAt, now)],
    ...renderExpiry(page),
    ["Fingerprint", html`<code>${formatFingerprint(digest)}</code>`],
    ["Round", html`${round} <span class="quiet"><code>${renderForeign(approval)}</code></span>`],
    ["Call", html`<code>${renderForeign(call)}</code>`],
  ];
  const receipt = state === "closed" && html`<p><a href="/calls/${call}/receipt">View signed receipt</a></p>`;
  return html`<dl>${rows.map(([name, value]) => html`<div><dt>${name}</dt><dd>${value}</dd></div>`)}</dl>${receipt}`;
}
