import { formatCount } from "../html/code-block.ts";
import { type Html, html, renderForeign } from "../html/html.ts";
import { formatDuration } from "../html/time.ts";
import { formatFingerprint } from "../html/values.ts";
import type { ApprovalPage, BundlePage } from "../page-data/page-types.ts";
import { renderChangesSection } from "../sections/changes-section.ts";
import { renderChecks } from "../sections/evidence-section.ts";
import { renderNotUndone } from "../sections/not-undone-section.ts";
import { renderLayout } from "./layout.ts";

/** Renders a flood of approvals. The page shows each one completely, with its own decision. */
export function renderBundlePage({ reader, principal, capability, count, more, items }: BundlePage): string {
  const answerable = items.some(({ forms }) => forms.deny !== undefined);
  return renderLayout(
    "Similar approvals",
    reader,
    html`<main class="bundle"><h1>${renderForeign(principal)} requested ${more ? "at least " : ""}${formatCount(count)} calls of <code>${renderForeign(capability)}</code></h1>
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

function renderItem(page: ApprovalPage): Html {
  const { approval, headline, digest, forms, expiresAt, now } = page;
  const choice = (value: string, word: string, first = false) =>
    html`<label><input type="radio" name="decision:${approval}" value="${value}"${first && html` checked`}> ${word}</label> `;
  return html`<li class="card"><h2>${renderForeign(headline)}</h2><p><a href="/approvals/${approval}"><code>${formatFingerprint(digest)}</code></a> <span class="quiet">${formatDuration(expiresAt - now)} left</span></p>
    ${renderChangesSection({ ...page, opened: true, mustOpen: false, forms: {} })}
    ${page.notUndone.length > 0 && renderNotUndone(page.notUndone)}${page.checks.length > 0 && renderChecks(page.checks)}
    ${
      forms.deny !== undefined &&
      html`<fieldset><legend>Your decision</legend><input type="hidden" name="digest:${approval}" value="${digest}"><input type="hidden" name="proof:${approval}" value="${forms.approve ?? forms.deny}">
      ${choice("", "Leave open", true)}${forms.approve !== undefined && !page.needsPasskey && choice("approve", "Approve")}${choice("deny", "Deny")}${forms.approve !== undefined && page.needsPasskey && html`<a href="/approvals/${approval}">Approve with passkey</a>`}</fieldset>`
    }</li>`;
}
