import { type Html, html, joinList, renderForeign } from "../html/html.ts";
import type { EditApprovers, EditPage, FormField } from "../page-data/edit-types.ts";
import { renderLayout } from "./layout.ts";

/** Renders the input as a form. Submitting it creates a new call with its own approval. */
export function renderEditPage(page: EditPage): string {
  const {
    reader,
    approval,
    digest,
    proof,
    title,
    capability,
    fields,
    fault,
    reason = "",
    raw,
    step,
    approvers,
  } = page;
  const self = `/approvals/${approval}`;
  const other = (more: Record<string, string>) =>
    `${self}/edit?${new URLSearchParams({ ...(step !== undefined && { step }), ...more })}`;
  const link = raw
    ? html`<a href="${other({})}">Edit field by field</a>`
    : html`<a href="${other({ raw: "1" })}">Edit the whole input as JSON</a>`;
  return renderLayout(
    `Edit: ${title}`,
    reader,
    html`<main class="editing"><h1>Edit: ${renderForeign(title)}</h1>
    <p class="quiet">Your edit replaces this request. Paraph evaluates ${step === undefined ? html`<code>${renderForeign(capability)}</code>` : html`the whole plan, with step <code>${renderForeign(step)}</code> changed,`} again, with a new preview and a new approval. The requester sees what you changed. Fields that show <code>•••</code> keep their values.</p>
    <p>Requested now: <strong>${renderForeign(page.headline)}</strong></p>
    <div>${renderApprovers(approvers)}</div>
    ${fault !== undefined && html`<div role="alert"><p class="caution"><strong>The edit was not saved.</strong> ${renderFault(fault)}</p></div>`}
    <form method="post" action="${self}/edit">
      <input type="hidden" name="digest" value="${digest}"><input type="hidden" name="proof" value="${proof}">
      ${raw && html`<input type="hidden" name="raw" value="1">`}${step !== undefined && html`<input type="hidden" name="step" value="${step}">`}
      ${fields.map(renderField)}
      <div class="field"><label for="reason">Reason <span class="quiet">shown to the requester</span></label>
      <textarea id="reason" name="reason" rows="2" maxlength="2000">
${reason}</textarea></div>
      <p class="answers"><button class="approve">Submit edited request</button> <a class="button" href="${self}">Cancel edit</a></p>
    </form>
    <p>${link}</p></main>`,
  );
}

/** The maximum number of people whom the form names. */
const maxNames = 10;

/** Renders who has to approve the edited request, so that the reader knows it before editing. */
function renderApprovers({ isOnlyPerson, quorum, groups, people, hasMore }: EditApprovers): Html {
  if (isOnlyPerson)
    return html`<p class="caution">You are the only person of this tenant, so you confirm your own edit.</p>`;
  const isMore = hasMore || people.length > maxNames;
  const names = [...people.slice(0, maxNames).map(renderForeign), ...(isMore ? ["others"] : [])];
  const [group, ...more] = groups;
  const isGroup = group !== undefined && more.length === 0;
  const [one, many] = isGroup ? ["member", "members"] : ["person", "people"];
  const count = quorum === 1 ? `Another ${one}` : `${quorum} other ${many}`;
  const others = html`${count}${isGroup && html` of ${renderForeign(group)}`} ${quorum === 1 ? "has" : "have"}`;
  return html`<p class="caution"><strong>You can't approve your own edit.</strong> ${others} to approve it. ${names.length > 0 ? html`Who can: ${joinList(names)}.` : "At present, no other person can."}</p>`;
}

/** Renders a fault message, with the names in backticks as code. */
function renderFault(fault: string): readonly Html[] {
  return fault
    .split("`")
    .map((part, index) => (index % 2 ? html`<code>${renderForeign(part)}</code>` : renderForeign(part)));
}

function renderField(field: FormField): Html {
  if (field.kind === "group")
    return html`<fieldset><legend>${renderForeign(field.label)}</legend>${(field.fields ?? []).map(renderField)}</fieldset>`;
  const { name, label, help, required, omittable } = field;
  const optional = !required && html` <span class="quiet">optional</span>`;
  const hint = help !== undefined && html`<span class="quiet hint">${renderForeign(help)}</span>`;
  return html`<div class="field"><label for="${name}"><code>${renderForeign(label)}</code>${optional}${hint}</label>
    ${renderControl(field)}
    ${omittable && html`<label class="omit"><input type="checkbox" name="omit:${name}" value="1"> Omit this field</label>`}</div>`;
}

/** Formats an option for display. The form posts options as JSON, but shows strings without quotes. */
function formatOption(option: string): string {
  return /^".*"$/.test(option) ? String(JSON.parse(option)) : option;
}

function renderControl({ name, kind, value, options = [], required }: FormField): Html {
  switch (kind) {
    case "number":
      return html`<input id="${name}" name="${name}" inputmode="decimal" value="${value}" autocomplete="off">`;
    case "boolean":
    case "choice": {
      const blank = !required || value === "" ? ["", ...options] : options;
      return html`<select id="${name}" name="${name}">${blank.map(
        (option) =>
          html`<option value="${option}"${option === value && html` selected`}>${formatOption(option)}</option>`,
      )}</select>`;
    }
    default: {
      const rows = Math.min(20, Math.max(kind === "json" ? 3 : 1, value.split("\n").length));
      // Browsers drop the first line feed of a textarea, so the template adds one.
      return html`<textarea id="${name}" name="${name}" rows="${rows}" spellcheck="false"${kind === "json" && html` class="json"`}>
${value}</textarea>`;
    }
  }
}
