import { formatCount } from "../html/code-block.ts";
import { type Html, html, joinList, renderForeign } from "../html/html.ts";
import { renderJson, renderTable } from "../html/values.ts";
import type { ApprovalPage, ChangesSectionData } from "../page-data/page-types.ts";
import { renderChangeNames, renderChanges } from "./change-list.ts";
import { renderPlan } from "./plan-section.ts";

/** Renders what will change. Without a preview, it renders the whole input and says that there is no preview. */
export function renderChangesSection(page: ChangesSectionData): Html {
  const { preview, opened, plan } = page;
  if (plan)
    return html`${page.mustOpen && html`<p class="quiet">Something in it is of ${page.contract?.risk ?? "unknown"} risk: ${renderOpenLink(page)} before you approve.</p>`}${renderPlan({ ...page, plan })}${renderMasked(page)}`;
  const changes = typeof preview === "object" ? preview.changes : [];
  if (changes.length === 0) return html`${renderWithoutPreview(page)}${renderMasked(page)}`;
  if (page.mustOpen) {
    const many = changes.length === 1 ? "One change" : `${formatCount(changes.length)} changes`;
    return html`<p class="quiet">${many}, of ${page.contract?.risk ?? "unknown"} risk: ${renderOpenLink(page)} before you approve.</p>${renderChangeNames(changes)}`;
  }
  return html`${renderChanges(changes, opened)}${renderMasked(page)}`;
}

/** Renders the input and the basis of the changes. */
export function renderBasis(page: ChangesSectionData): Html {
  const { preview, input, plan } = page;
  // Each step of a plan shows its own input and basis.
  const opened = page.opened && !plan;
  if (typeof preview !== "object" || preview.changes.length === 0) return html``;
  const { basis } = preview;
  const facts = typeof basis === "object" && basis !== null && !Array.isArray(basis);
  return html`<details class="more"${opened && html` open`}><summary>${plan ? "The whole plan, as it was sent" : "The whole input"}</summary>${renderInput(input, opened)}</details>
    <details class="more"${opened && html` open`}><summary>What it rests on</summary>
    <p class="quiet">Looked at again right before it is done. If it has moved, you are asked again.</p>
    ${facts ? renderTable(basis as never, opened) : renderJson(basis, opened)}</details>`;
}

function renderWithoutPreview(page: ChangesSectionData): Html {
  const [title, text] = explainNoChanges(page);
  const input = page.mustOpen
    ? html`<p class="quiet">Of ${page.contract?.risk ?? "unknown"} risk: ${renderOpenLink(page)} before you approve.</p>`
    : renderInput(page.input, page.opened);
  return html`<div class="caution"><p><strong>${title}</strong> ${text}</p></div>${input}`;
}

function renderOpenLink({ approval }: ChangesSectionData): Html {
  return html`<a href="/approvals/${approval ?? ""}?opened=1">look at all of it</a>`;
}

function explainNoChanges({ preview, contract }: ChangesSectionData): readonly [string, string] {
  if (!contract)
    return ["Its contract is gone.", "This server cannot say what would change. What is known of the input:"];
  if (preview === "hidden") return ["The preview is hidden from you.", "What you may see of the input:"];
  if (preview === "none")
    return ["There is no preview.", "Nobody knows what exactly would change. This is the whole input:"];
  return ["The preview shows no change.", "This is the whole input:"];
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
      <button class="small">Reveal</button></form>`;
  return html`<div class="masked"><p>Sensitive, shown as <code>•••</code>: ${names}.${
    reveal && html` <span class="quiet">Who reveals it is recorded.</span>`
  }</p>${reveal}</div>`;
}
