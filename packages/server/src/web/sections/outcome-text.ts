import { type Html, html, renderForeign } from "../html/html.ts";
import type { CallPage } from "../page-data/approval-types.ts";

/** The outcome of a call, and what a person found if it was unknown. */
export type Ending = Pick<CallPage, "outcome" | "resolution">;

/** Returns whether the call did what was requested, as far as Paraph knows. */
export function isGoodEnding({ outcome, resolution }: Ending): boolean {
  return outcome?.kind === "succeeded" || resolution?.finding === "happened";
}

/** Renders the status of a call with an unknown outcome. Until a person resolves it, the status links to the form. */
export function renderUnknownOutcome({ resolution }: Ending): Html {
  if (!resolution)
    return html`<strong>The outcome is unknown.</strong> A person has to check the external system. <a href="/approvals/unknown">Record the outcome</a>`;
  const found = resolution.finding === "happened" ? "took effect" : "did not take effect";
  const finder = resolution.how === "probe" ? "A probe" : renderForeign(resolution.by);
  return html`<strong>The outcome was unknown.</strong> ${finder} found that the call ${found}.`;
}
