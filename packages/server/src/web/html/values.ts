import { fingerprint, isJsonObject, type Json, type JsonObject } from "@paraph/core";
import { escapeInvisibleJson } from "@paraph/core/escape-invisible";
import { renderCode, toPlainRuns } from "./code-block.ts";
import { type Html, html, renderForeign } from "./html.ts";

/** Renders a value as complete JSON. Invisible characters appear as JSON escapes. */
export function renderJson(value: Json, whole: boolean): Html {
  return renderCode(toPlainRuns(escapeInvisibleJson(value, 2)), whole);
}

/** Renders named values as a table. */
export function renderTable(values: JsonObject, whole: boolean): Html {
  if (isComparison(values)) return renderComparison(values, whole);
  const rows = Object.entries(values).map(([name, value]) =>
    // A table of rows gets the whole width, so that a phone cuts off as few of its columns as possible.
    isRows(value)
      ? html`<tr><th scope="row" colspan="2">${renderForeign(name)}</th></tr><tr><td colspan="2">${renderRows(value, whole)}</td></tr>`
      : html`<tr><th scope="row">${renderForeign(name)}</th><td>${renderValue(value, whole)}</td></tr>`,
  );
  return html`<table><tbody>${rows}</tbody></table>`;
}

function renderValue(value: Json, whole: boolean): Html {
  if (isComparison(value)) return renderComparison(value, whole);
  if (isRows(value)) return renderRows(value, whole);
  if (typeof value === "object" && value !== null) return renderJson(value, whole);
  if (typeof value !== "string") return html`<span class="number">${JSON.stringify(value)}</span>`;
  return value.length > 200 || value.includes("\n")
    ? renderCode(toPlainRuns(value), whole)
    : renderForeign(value);
}

interface Comparison extends JsonObject {
  readonly before: Json;
  readonly after: Json;
}

function isComparison(value: Json): value is Comparison {
  return isJsonObject(value) && Object.keys(value).sort().join() === "after,before";
}

/** Renders a value before and after a change. */
function renderComparison({ before, after }: Comparison, whole: boolean): Html {
  const row = (name: string, value: Json) =>
    html`<div class="${name.toLowerCase()}"><dt>${name}</dt><dd>${value === null ? html`<span class="quiet">none</span>` : renderValue(value, whole)}</dd></div>`;
  return html`<dl class="compared">${row("Before", before)}${row("After", after)}</dl>`;
}

/**
 * Renders a table from rows that all have the same shape, for example from a sample of the rows that a query would
 * change.
 */
function renderRows(rows: readonly JsonObject[], whole: boolean): Html {
  const names = Object.keys(rows[0] ?? {});
  const body = rows.map(
    (row) => html`<tr>${names.map((name) => html`<td>${renderValue(row[name] ?? null, whole)}</td>`)}</tr>`,
  );
  return html`<div class="rows" tabindex="0" role="region" aria-label="Rows"><table>
    <thead><tr>${names.map((name) => html`<th scope="col">${renderForeign(name)}</th>`)}</tr></thead>
    <tbody>${body}</tbody></table></div>`;
}

function isRows(value: Json): value is readonly JsonObject[] {
  if (!Array.isArray(value) || value.length === 0 || value.length > 50) return false;
  const shapes = value.map((row: Json) => (isFlat(row) ? Object.keys(row).join("\n") : undefined));
  const [shape] = shapes;
  return shape !== undefined && shape !== "" && shapes.every((each) => each === shape);
}

function isFlat(value: Json): value is JsonObject {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return false;
  return Object.values(value).every((member) => typeof member !== "object" || member === null);
}

/** Formats the fingerprint of a digest in four groups, so that people can compare it with another screen. */
export function formatFingerprint(digest: string): string {
  return fingerprint(digest).replaceAll(/.{4}(?=.)/g, "$& ");
}
