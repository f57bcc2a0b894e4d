import { renderCode, toPlainRuns } from "../html/code-block.ts";
import { type Html, html } from "../html/html.ts";

/** Renders the requester's own words separately, because they are unverified. */
export function renderUnverified(
  what: "Purpose" | "State",
  text: string | undefined,
  whole: boolean,
): Html | false {
  if (text === undefined) return false;
  return html`<figure class="purpose"><figcaption>${what} given by the requester <strong>(not verified)</strong></figcaption>
    <blockquote>${renderCode(toPlainRuns(text), whole)}</blockquote></figure>`;
}
