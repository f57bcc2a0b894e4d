import type { NotUndone } from "@paraph/core";
import { type Html, html, renderForeign } from "../html/html.ts";

/** Why an effect remains after an undo. */
export const remainingTexts: Readonly<Record<NotUndone["reason"], string>> = {
  "no-undo": "Its capability offers no undo.",
  unknown: "Its outcome is unknown.",
  "plan-not-succeeded": "It is part of a plan that did not succeed.",
  "left-out": "An edit removed its undo.",
};

/** Renders the effects that remain after an undo. The page shows them above the decision about the undo. */
export function renderNotUndone(left: readonly NotUndone[]): Html {
  const items = left.map(
    ({ step, call, capability, reason }) =>
      html`<li><a href="/calls/${call}">${renderForeign(step)}</a> <code>${renderForeign(capability)}</code> <span class="quiet">${remainingTexts[reason]}</span></li>`,
  );
  return html`<section class="card"><h2>Effects that remain after this undo</h2>
    <ul class="plain">${items}</ul></section>`;
}
