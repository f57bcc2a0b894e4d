import { type Html, html, renderForeign } from "../html/html.ts";
import type { AnswerRequest, ApprovalPage } from "../page-data/approval-types.ts";
import { isQuestion } from "./question-section.ts";

/**
 * Renders the decision form at the bottom of the screen. It is a plain form that posts the digest on the page and the
 * token that proves the page was shown. [TRUST 6] If the reader has not opened a high-risk change, the form offers no
 * approval. The link that opens the change is above the other controls, where the opened page has no button, so that a
 * second tap on the same place decides nothing.
 */
export function renderDecisionForm(page: ApprovalPage): Html {
  const { approval, digest, forms } = page;
  if (forms.deny === undefined) return html``;
  const self = `/approvals/${approval}`;
  return html`<form class="bar ${page.contract?.risk ?? ""}" id="decision" method="post" action="${self}/decision" aria-label="Your decision">
    <input type="hidden" name="digest" value="${digest}">
    <input type="hidden" name="proof" value="${forms.approve ?? forms.deny}">
    ${page.answerRequest && forms.approve !== undefined && renderAnswerField(page.answerRequest, isQuestion(page))}
    ${page.mustOpen && html`<p class="review"><a class="button" href="${self}?opened=1#changes">Show what will change</a></p>`}
    <details><summary>Add reason or instructions</summary>
      <label for="reason">Recorded and shown to the requester</label>
      <textarea id="reason" name="reason" rows="3" maxlength="2000"></textarea>
      <p><button class="small" name="decision" value="return">Return with instructions</button> <a class="button small" href="${self}/edit">Edit request</a></p></details>
    <div class="answers"><button class="deny" name="decision" value="deny">${page.plan ? "Deny all steps" : "Deny request"}</button>${renderApproveButton(page)}</div>
    ${page.needsPasskey && forms.approve !== undefined && html`<p role="status" data-passkey-status></p><noscript><p>Approving with a passkey needs JavaScript.</p></noscript>`}
  </form>`;
}

/** Renders the field for the answer that the capability requests with an approval. */
function renderAnswerField(request: AnswerRequest, isShownAbove: boolean): Html {
  const hasOwnLabel = request.question === undefined || isShownAbove;
  const label = html`<label for="answer">${hasOwnLabel ? "Your answer" : renderForeign(request.question)}</label>`;
  switch (request.kind) {
    case "confirm":
      return html`<div class="field">${label}<select id="answer" name="answer"><option value="">choose</option><option value="true">Yes</option><option value="false">No</option></select></div>`;
    case "choice":
      return html`<div class="field">${label}<select id="answer" name="answer"><option value="">choose</option>${request.options.map(
        (option, index) => html`<option value="${index}">${option}</option>`,
      )}</select></div>`;
    default:
      return html`<div class="field">${label}<textarea id="answer" name="answer" rows="2" maxlength="10000"></textarea></div>`;
  }
}

function renderApproveButton(page: ApprovalPage): Html {
  if (page.forms.approve !== undefined) {
    const confirms = page.reader.voterStatus === "confirmation";
    const yes = page.answerRequest ? "Send answer" : confirms ? "Confirm request" : "Approve request";
    const what = page.plan ? yes.replace("request", "selected steps") : yes;
    const word = page.needsPasskey ? `${what.replace(/ request\b/, "")} with passkey` : what;
    if (page.needsPasskey)
      return html`<button class="approve" name="decision" value="approve" data-passkey="approve">${word}</button>`;
    return html`<button class="approve" name="decision" value="approve">${word}</button>`;
  }
  return page.mustOpen ? html`<p class="quiet later">To approve, review the changes first.</p>` : html``;
}
