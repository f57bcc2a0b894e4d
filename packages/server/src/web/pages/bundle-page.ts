import { formatCalls, formatCount } from "../html/code-block.ts";
import { type Html, html, renderForeign } from "../html/html.ts";
import { formatDuration } from "../html/time.ts";
import { formatFingerprint } from "../html/values.ts";
import type { ApprovalPage, BundlePage, BundleResult, BundleResultPage } from "../page-data/page-types.ts";
import { renderChangesSection } from "../sections/changes-section.ts";
import { renderChecks } from "../sections/evidence-section.ts";
import { renderNotUndone } from "../sections/not-undone-section.ts";
import { effectTexts } from "../sections/plan-section.ts";
import { renderReasons } from "../sections/votes-section.ts";
import { formatNotYours } from "./inbox-page.ts";
import { renderLayout } from "./layout.ts";

/** Renders a flood of approvals. The page shows each one completely, with its own decision. */
export function renderBundlePage({ reader, principal, capability, count, more, items }: BundlePage): string {
  const answerable = items.some(({ forms }) => forms.deny !== undefined);
  return renderLayout(
    "Similar approvals",
    reader,
    html`<main class="bundle"><h1>${renderForeign(principal)} requested ${more ? "at least " : ""}${formatCalls(count)} of <code>${renderForeign(capability)}</code></h1>
    <p class="quiet">${items.length < count ? `This page shows ${formatCount(items.length)} of them. ` : ""}You decide each approval separately. Approvals that you leave open stay open.</p>
    <form method="post" action="/approvals/bundle">
      <input type="hidden" name="principal" value="${principal}"><input type="hidden" name="capability" value="${capability}">
      <ol class="plain">${items.map(renderItem)}</ol>
      ${
        answerable &&
        html`<div class="field"><label for="reason">One reason for all decisions <span class="quiet">recorded and shown to the requester</span></label>
      <textarea id="reason" name="reason" rows="2" maxlength="2000"></textarea></div>
      <p class="answers"><button class="approve">Send decisions</button></p>`
      }
    </form></main>`,
  );
}

/** Renders what came of each decision that a person sent about a flood. */
export function renderBundleResultPage({ reader, results }: BundleResultPage): string {
  const recorded = results.filter(({ state }) => state !== undefined).length;
  const title = `${formatCount(recorded)} of ${formatCount(results.length)} ${results.length === 1 ? "decision" : "decisions"} recorded`;
  return renderLayout(
    title,
    reader,
    html`<main class="bundle"><h1>${title}</h1>
    <ul class="plain">${results.map(renderResult)}</ul>
    <p><a class="button" href="/approvals">All approvals</a></p></main>`,
  );
}

function renderResult({ approval, headline, decision, state, problem }: BundleResult): Html {
  const given = decision === "approve" ? "Approved" : "Denied";
  const said =
    state === undefined
      ? html`<span class="vote bad">Not recorded</span> ${problem}`
      : html`<span class="vote ${decision}">${given}</span> ${describeAfterDecision(decision, state)}`;
  return html`<li class="card"><h2><a href="/approvals/${approval}">${renderForeign(headline)}</a></h2><p>${said}</p></li>`;
}

function describeAfterDecision(decision: BundleResult["decision"], state: ApprovalPage["state"]): string {
  if (decision === "deny") return "The call did not run.";
  return state === "asking" ? "Waiting for more approvals." : "The call may run now.";
}

function renderItem(page: ApprovalPage): Html {
  const { approval, headline, digest, forms, expiresAt, now, contract, editedBy } = page;
  const choice = (value: string, word: string, first = false) =>
    html`<label><input type="radio" name="decision:${approval}" value="${value}"${first && html` checked`}> ${word}</label> `;
  return html`<li class="card"><h2>${renderForeign(headline)}</h2>
    <p class="tags">${contract && html`<span class="risk ${contract.risk}">${contract.risk} risk</span> <span class="quiet">${effectTexts[contract.effect]}</span> `}<a href="/approvals/${approval}"><code>${formatFingerprint(digest)}</code></a> <span class="quiet">${formatDuration(expiresAt - now)} left</span></p>
    ${editedBy !== undefined && html`<p><strong>${renderForeign(editedBy)}</strong> edited the input.</p>`}${renderReasons(page.guards, page.plan)}
    ${renderChangesSection({ ...page, opened: true, mustOpen: false, forms: {} })}
    ${page.notUndone.length > 0 && renderNotUndone(page.notUndone)}${page.checks.length > 0 && renderChecks(page.checks)}
    ${
      forms.deny !== undefined &&
      html`<fieldset><legend>Your decision</legend><input type="hidden" name="digest:${approval}" value="${digest}"><input type="hidden" name="proof:${approval}" value="${forms.approve ?? forms.deny}">
      ${choice("", "Leave open", true)}${forms.approve !== undefined && !page.needsPasskey && choice("approve", "Approve")}${choice("deny", "Deny")}${forms.approve !== undefined && page.needsPasskey && html`<a href="/approvals/${approval}">Approve with passkey</a>`}</fieldset>`
    }${forms.approve === undefined && html`<p class="quiet">You cannot approve it: ${explainNoApproval(page)}.</p>`}</li>`;
}

function explainNoApproval({ reader, votes }: ApprovalPage): string {
  if (votes.some(({ by }) => by === reader.id)) return formatNotYours("voted");
  const { voterStatus } = reader;
  return voterStatus === "approver" || voterStatus === "confirmation"
    ? "it is no longer open"
    : formatNotYours(voterStatus);
}
