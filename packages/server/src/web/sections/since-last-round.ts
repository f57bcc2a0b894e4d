import { type Change, isJsonObject, type Json, type Preview } from "@paraph/core";
import { type Html, html, renderForeign } from "../html/html.ts";
import { renderJson } from "../html/values.ts";
import { renderChangeNames, renderChanges } from "./change-list.ts";

/** Renders the differences from the previous round, in the basis and in the changes. */
export function renderSinceLastRound(earlier: Preview, now: Preview, whole: boolean): Html {
  const facts = listChangedFacts(earlier.basis, now.basis);
  const gone = removeChanges(earlier.changes, now.changes);
  const come = removeChanges(now.changes, earlier.changes);
  const rows = facts.map(
    ([name, before, after]) =>
      html`<tr><th scope="row">${renderForeign(name)}</th><td>${renderFact(before, whole)}</td><td>${renderFact(after, whole)}</td></tr>`,
  );
  return html`<section class="moved" aria-labelledby="moved"><h2 id="moved">Changes since the last round</h2>
    ${rows.length > 0 && html`<div class="rows" tabindex="0" role="region" aria-label="Changed basis"><table><thead><tr><th scope="col">Basis</th><th scope="col">Before</th><th scope="col">Now</th></tr></thead><tbody>${rows}</tbody></table></div>`}
    ${gone.length > 0 && html`<p>Only in the last round:</p>${renderChanges(gone, whole)}`}
    ${come.length > 0 && html`<p>New in this round (details above):</p>${renderChangeNames(come)}`}
    ${rows.length + gone.length + come.length === 0 && html`<p>The preview did not change.</p>`}</section>`;
}

type ChangedFact = readonly [name: string, before: Json | undefined, after: Json | undefined];

function listChangedFacts(before: Json, after: Json): readonly ChangedFact[] {
  if (!isJsonObject(before) || !isJsonObject(after))
    return isSame(before, after) ? [] : [["whole basis", before, after]];
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])];
  return names
    .filter((name) => !isSame(before[name], after[name]))
    .map((name) => [name, before[name], after[name]]);
}

function removeChanges(some: readonly Change[], others: readonly Change[]): readonly Change[] {
  const known = new Set(others.map((change) => JSON.stringify(change)));
  return some.filter((change) => !known.has(JSON.stringify(change)));
}

function renderFact(fact: Json | undefined, whole: boolean): Html {
  return fact === undefined ? html`<span class="quiet">none</span>` : renderJson(fact, whole);
}

function isSame(a: Json | undefined, b: Json | undefined): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}
