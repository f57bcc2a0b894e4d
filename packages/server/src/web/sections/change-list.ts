import type { Change } from "@paraph/core";
import { formatCount, renderCode } from "../html/code-block.ts";
import { parseDiff } from "../html/diff.ts";
import { type Html, html, renderForeign } from "../html/html.ts";
import { renderTable } from "../html/values.ts";

const maxChanges = 20;

/** The verb of each kind of change. */
export const changeVerbs: Readonly<Record<Change["kind"], string>> = {
  create: "Creates",
  update: "Changes",
  delete: "Deletes",
  move: "Moves",
  send: "Sends",
  run: "Runs",
  other: "Affects",
};

/** Renders changes so that the reader can reach every line. With `whole`, nothing is collapsed. */
export function renderChanges(changes: readonly Change[], whole: boolean): Html {
  const items = changes.map((change) => renderChange(change, whole));
  const [first, rest] = whole ? [items, []] : [items.slice(0, maxChanges), items.slice(maxChanges)];
  return html`<ol class="changes">${first}</ol>${
    rest.length > 0 &&
    html`<details class="rest"><summary>Show the other ${formatCount(rest.length)} changes</summary><ol class="changes" start="${maxChanges + 1}">${rest}</ol></details>`
  }`;
}

/** Renders only the names of changes, for a page whose details are not opened yet. */
export function renderChangeNames(changes: readonly Change[]): Html {
  return html`<ol class="changes">${changes.map((change) => html`<li>${renderChangeHeading(change)}</li>`)}</ol>`;
}

function renderChange(change: Change, whole: boolean): Html {
  const { diff, details } = change;
  return html`<li>${renderChangeHeading(change)}
    ${diff !== undefined && renderCode(parseDiff(diff), whole)}
    ${details !== undefined && renderTable(details, whole)}
  </li>`;
}

function renderChangeHeading({ kind, target, summary }: Change): Html {
  return html`<h3><span class="verb ${kind}">${changeVerbs[kind] ?? "Affects"}</span> ${renderForeign(target)}</h3>
    ${summary !== undefined && html`<p class="summary">${renderForeign(summary)}</p>`}`;
}
