import type { Change } from "@paraph/core";
import { code, count } from "./code.ts";
import { diffRuns } from "./diff.ts";
import { type Html, html, said } from "./html.ts";
import { table } from "./values.ts";

const mostChanges = 20;

const verbs: Readonly<Record<Change["kind"], string>> = {
  create: "Creates",
  update: "Changes",
  delete: "Deletes",
  move: "Moves",
  send: "Sends",
  run: "Runs",
  other: "Does",
};

/** What would change, every line of it reachable. `whole`: nothing folded. */
export function changesHtml(changes: readonly Change[], whole: boolean): Html {
  const items = changes.map((change) => changeHtml(change, whole));
  const [first, rest] = whole ? [items, []] : [items.slice(0, mostChanges), items.slice(mostChanges)];
  return html`<ol class="changes">${first}</ol>${
    rest.length > 0 &&
    html`<details class="rest"><summary>Show the other ${count(rest.length)} changes</summary><ol class="changes" start="${mostChanges + 1}">${rest}</ol></details>`
  }`;
}

/** The changes by name only: before they are opened. */
export function changeNames(changes: readonly Change[]): Html {
  return html`<ol class="changes">${changes.map((change) => html`<li>${headHtml(change)}</li>`)}</ol>`;
}

function changeHtml(change: Change, whole: boolean): Html {
  const { diff, details } = change;
  return html`<li>${headHtml(change)}
    ${diff !== undefined && code(diffRuns(diff), whole)}
    ${details !== undefined && table(details, whole)}
  </li>`;
}

function headHtml({ kind, target, summary }: Change): Html {
  return html`<h3><span class="verb ${kind}">${verbs[kind] ?? "Does"}</span> ${said(target)}</h3>
    ${summary !== undefined && html`<p class="summary">${said(summary)}</p>`}`;
}
