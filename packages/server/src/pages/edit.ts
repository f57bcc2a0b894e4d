import { frame } from "./frame.ts";
import { type Html, html, said } from "./html.ts";
import type { EditPage, Field } from "./view.ts";

/** The input as a form. What comes of it is asked about anew, as a call of its own. */
export function editHtml(page: EditPage): string {
  const { reader, approval, digest, proof, title, capability, fields, fault, raw } = page;
  const self = `/approvals/${approval}`;
  const other = raw
    ? html`<a href="${self}/edit">Edit it field by field</a>`
    : html`<a href="${self}/edit?raw=1">Edit the whole as JSON</a>`;
  return frame(
    `Edit: ${title}`,
    reader,
    html`<main class="editing"><h1>Edit: ${said(title)}</h1>
    <p class="quiet">What you send takes the place of what was asked: <code>${said(capability)}</code> is checked, ruled on and previewed anew, and people are asked again. Who asked is told what you changed. What reads <code>•••</code> stays as it is.</p>
    ${fault !== undefined && html`<div role="alert"><p class="caution"><strong>Nothing was changed.</strong> ${said(fault)}</p></div>`}
    <form method="post" action="${self}/edit">
      <input type="hidden" name="digest" value="${digest}"><input type="hidden" name="proof" value="${proof}">
      ${raw && html`<input type="hidden" name="raw" value="1">`}
      ${fields.map(fieldHtml)}
      <div class="field"><label for="reason">Why <span class="quiet">who asked is told</span></label>
      <textarea id="reason" name="reason" rows="2" maxlength="2000"></textarea></div>
      <p class="answers"><button class="approve">Ask for this instead</button> <a class="button" href="${self}">Leave it as it is</a></p>
    </form>
    <p>${other}</p></main>`,
  );
}

function fieldHtml(field: Field): Html {
  if (field.kind === "group")
    return html`<fieldset><legend>${said(field.label)}</legend>${(field.fields ?? []).map(fieldHtml)}</fieldset>`;
  const { name, label, help, required, omittable } = field;
  const hint = help !== undefined && html` <span class="quiet">${said(help)}</span>`;
  const optional = !required && html` <span class="quiet">may be left out</span>`;
  return html`<div class="field"><label for="${name}"><code>${said(label)}</code>${hint}${optional}</label>
    ${controlHtml(field)}
    ${omittable && html`<label class="omit"><input type="checkbox" name="omit:${name}" value="1"> leave it out</label>`}</div>`;
}

function controlHtml({ name, kind, value, options = [], required }: Field): Html {
  switch (kind) {
    case "number":
      return html`<input id="${name}" name="${name}" inputmode="decimal" value="${value}" autocomplete="off">`;
    case "boolean":
    case "choice": {
      const blank = !required || value === "" ? ["", ...options] : options;
      return html`<select id="${name}" name="${name}">${blank.map(
        (option) => html`<option value="${option}"${option === value && html` selected`}>${option}</option>`,
      )}</select>`;
    }
    default: {
      const rows = Math.min(20, Math.max(kind === "json" ? 3 : 1, value.split("\n").length));
      // A line that begins a text is eaten by browsers: this one is theirs.
      return html`<textarea id="${name}" name="${name}" rows="${rows}" spellcheck="false"${kind === "json" && html` class="json"`}>
${value}</textarea>`;
    }
  }
}
