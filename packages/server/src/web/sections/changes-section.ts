import { formatCount } from "../html/code-block.ts";
import { type Html, html, joinList, renderForeign } from "../html/html.ts";
import { renderTime } from "../html/time.ts";
import { renderJson, renderTable } from "../html/values.ts";
import type { ApprovalPage, ChangesSectionData } from "../page-data/approval-types.ts";
import { renderChangeNames, renderChanges } from "./change-list.ts";
import { renderPlan } from "./plan-section.ts";
import { isQuestion, renderQuestion } from "./question-section.ts";

/** Renders what will change. Without a preview, it renders the whole input and says that there is no preview. */
export function renderChangesSection(page: ChangesSectionData): Html {
  const { preview, opened, plan } = page;
  if (page.erased && !plan) return renderErased(page.erased);
  if (plan)
    return html`${page.erased && renderErased(page.erased)}${page.mustOpen && html`<p class="quiet">This plan has ${page.contract?.risk ?? "unknown"} risk. ${renderOpenLink(page)} before you approve.</p>`}${renderPlan({ ...page, plan })}${renderMasked(page)}`;
  const changes = typeof preview === "object" ? preview.changes : [];
  if (isQuestion(page))
    return html`${renderQuestion(page)}<details class="more"><summary>Full input</summary>${renderInput(page.input, page.opened)}</details>${renderMasked(page)}`;
  if (changes.length === 0) return html`${renderWithoutPreview(page)}${renderMasked(page)}`;
  if (page.mustOpen) {
    const many = changes.length === 1 ? "One change" : `${formatCount(changes.length)} changes`;
    return html`<p class="quiet">${many}, ${page.contract?.risk ?? "unknown"} risk. ${renderOpenLink(page)} before you approve.</p>${renderChangeNames(changes)}`;
  }
  return html`${renderChanges(changes, opened)}${renderMasked(page)}`;
}

/** Renders the input and the basis of the changes. */
export function renderBasis(page: ChangesSectionData): Html {
  const { preview, input, plan } = page;
  // The full input and the basis of a plan stay collapsed, because each step shows its own input.
  const opened = page.opened && !plan;
  if (typeof preview !== "object" || preview.changes.length === 0) return html``;
  const { basis } = preview;
  const facts = typeof basis === "object" && basis !== null && !Array.isArray(basis);
  const whole = html`<details class="more"${opened && html` open`}><summary>${plan ? "Full plan as requested" : "Full input"}</summary>${renderInput(input, opened)}</details>`;
  // A capability without a basis has nothing that Paraph could check again.
  if (basis === null) return whole;
  return html`${whole}
    <details class="more"${opened && html` open`}><summary>Basis of the preview</summary>
    <p class="quiet">Paraph checks the basis again right before the call acts. If it changed, Paraph asks for a new approval.</p>
    ${facts ? renderTable(basis as never, opened) : renderJson(basis, opened)}</details>`;
}

function renderErased({ at, reason }: NonNullable<ApprovalPage["erased"]>): Html {
  return html`<div class="caution"><p><strong>Erased on ${renderTime(at)}:</strong> ${renderForeign(reason)}</p></div>`;
}

function renderWithoutPreview(page: ChangesSectionData): Html {
  const [title, text] = explainNoChanges(page);
  const input = page.mustOpen
    ? html`<p class="quiet">Risk: ${page.contract?.risk ?? "unknown"}. ${renderOpenLink(page)} before you approve.</p>`
    : renderInput(page.input, page.opened);
  return html`<div class="caution"><p><strong>${title}</strong> ${text}</p></div>${input}`;
}

function renderOpenLink({ approval }: ChangesSectionData): Html {
  return html`<a href="/approvals/${approval ?? ""}?opened=1#changes">Review all details</a>`;
}

function explainNoChanges({ preview, contract }: ChangesSectionData): readonly [string, string] {
  if (!contract)
    return [
      "The contract is missing.",
      "This server no longer has it and cannot show the changes. Known input:",
    ];
  if (preview === "hidden") return ["The preview is hidden from you.", "Input that you can see:"];
  if (preview === "none") return ["There is no preview.", "The exact changes are unknown. Full input:"];
  return ["The preview shows no changes.", "Full input:"];
}

function renderInput(input: ApprovalPage["input"], whole: boolean): Html {
  return input === undefined ? html`<p class="quiet">The input was erased.</p>` : renderJson(input, whole);
}

/** [TRUST 16] Renders the names of masked fields, and the form that reveals them. Paraph records each reveal. */
function renderMasked({ masked, approval = "", digest = "", forms = {} }: ChangesSectionData): Html {
  if (masked.length === 0) return html``;
  const names = joinList(masked.map((path) => html`<code>${renderForeign(path)}</code>`));
  const reveal =
    forms.reveal !== undefined &&
    html`<form method="post" action="/approvals/${approval}/reveal">
      <input type="hidden" name="digest" value="${digest}"><input type="hidden" name="proof" value="${forms.reveal}">
      <button class="small">Reveal sensitive fields</button></form>`;
  return html`<div class="masked"><p>Sensitive fields, shown as <code>•••</code>: ${names}.${
    reveal && html` <span class="quiet">Paraph records each reveal.</span>`
  }</p>${reveal}</div>`;
}
