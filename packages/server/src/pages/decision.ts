import { fingerprint } from "@paraph/core";
import { type Html, html } from "./html.ts";
import type { ApprovalPage } from "./view.ts";

/**
 * The bar with the answers, pinned to the bottom of the screen. One plain form: it posts the digest that was shown
 * and the proof of having been shown it. Where high risk has not been opened yet, only a no is on offer.
 */
export function decisionHtml(page: ApprovalPage): Html {
  const { approval, digest, forms } = page;
  if (forms.deny === undefined) return html``;
  const self = `/approvals/${approval}`;
  return html`<form class="bar" method="post" action="${self}/decision" aria-label="Your decision">
    <input type="hidden" name="digest" value="${digest}">
    <input type="hidden" name="proof" value="${forms.approve ?? forms.deny}">
    <details><summary>Give a reason</summary>
      <label for="reason">Recorded; who asked is told.</label>
      <textarea id="reason" name="reason" rows="3" maxlength="2000"></textarea></details>
    <p class="fingerprint"><span class="quiet">for exactly</span> <code>${fingerprint(digest)}</code></p>
    <div class="answers"><button class="deny" name="decision" value="deny">Deny</button>${consent(page, self)}</div>
  </form>`;
}

function consent(page: ApprovalPage, self: string): Html {
  if (page.forms.approve !== undefined) {
    const word = page.reader.standing === "confirmation" ? "Confirm" : "Approve";
    return html`<button class="approve" name="decision" value="approve">${word}</button>`;
  }
  if (!page.mustOpen) return html``;
  return html`<a class="button" href="${self}?opened=1">Show what will change</a>`;
}
