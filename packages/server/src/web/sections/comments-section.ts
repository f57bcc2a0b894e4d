import { renderCode, toPlainRuns } from "../html/code-block.ts";
import { type Html, html, joinList, renderForeign } from "../html/html.ts";
import { renderAgo } from "../html/time.ts";
import type { ApprovalPage, PageMessage } from "../page-data/approval-types.ts";

const verbs: Readonly<Record<PageMessage["kind"], string>> = {
  comment: "commented",
  question: "asked",
  answer: "answered",
};

/** Renders the messages about the call as plain text, with the form to post one. */
export function renderComments({ messages, approval, digest, forms, now }: ApprovalPage): Html {
  const items = messages.map(
    ({ by, kind, at, text }) =>
      html`<li><p>${renderForeign(by)} ${verbs[kind]} ${renderAgo(at, now)}</p>${
        text === undefined
          ? html`<p class="quiet">The message was erased.</p>`
          : renderCode(toPlainRuns(text), false)
      }</li>`,
  );
  const form =
    forms.say !== undefined &&
    html`<form method="post" action="/approvals/${approval}/messages">
      <input type="hidden" name="digest" value="${digest}"><input type="hidden" name="proof" value="${forms.say}">
      <label for="text">Comment, or question for the requester</label>
      <textarea id="text" name="text" rows="2" maxlength="2000" required></textarea>
      <p><button class="small" name="kind" value="question">Ask requester</button> <button class="small" name="kind" value="comment">Add comment</button></p></form>`;
  return html`${items.length > 0 && html`<ul class="plain thread">${items}</ul>`}${form}`;
}

/** Renders who looks at the request, and the form with which the reader says so. */
export function renderAcknowledgements(page: ApprovalPage): Html {
  const { acknowledgedBy, approval, digest, forms, reader } = page;
  const isOffered = forms.say !== undefined && !acknowledgedBy.includes(reader.id);
  return html`${acknowledgedBy.length > 0 && html`<p>${joinList(acknowledgedBy.map(renderForeign))} ${acknowledgedBy.length === 1 ? "looks" : "look"} at this request.</p>`}${
    isOffered &&
    html`<form method="post" action="/approvals/${approval}/acknowledge">
    <input type="hidden" name="digest" value="${digest}"><input type="hidden" name="proof" value="${forms.say}">
    <p class="quiet">Tell the other approvers that you look at it. Paraph delays the next reminder or escalation.</p>
    <button class="small">Acknowledge request</button></form>`
  }`;
}

/** Renders the form that reassigns the approval to another person. */
export function renderReassignForm({ approval, digest, forms }: ApprovalPage): Html {
  return html`<form method="post" action="/approvals/${approval}/reassign">
    <input type="hidden" name="digest" value="${digest}"><input type="hidden" name="proof" value="${forms.say ?? ""}">
    <label for="to">New approver</label> <input id="to" name="to" required maxlength="255" autocomplete="off">
    <button class="small">Reassign approval</button></form>`;
}
