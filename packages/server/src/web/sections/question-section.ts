import type { Json } from "@paraph/core";
import { renderCode, toPlainRuns } from "../html/code-block.ts";
import { type Html, html, joinList, renderForeign, renderWords } from "../html/html.ts";
import { renderJson } from "../html/values.ts";
import type { AnswerRequest, ChangesSectionData } from "../page-data/approval-types.ts";

/** A page whose call only asks people a question, so that there is nothing to preview. */
type QuestionData = ChangesSectionData & { readonly answerRequest: { readonly question: string } };

/** Returns whether the call asks people a question and changes nothing. */
export function isQuestion<P extends ChangesSectionData>(page: P): page is P & QuestionData {
  const changes = typeof page.preview === "object" ? page.preview.changes : [];
  return page.answerRequest?.question !== undefined && changes.length === 0 && !page.mustOpen;
}

/** Renders the question in the requester's words, and the answer once people have given it. */
export function renderQuestion({ answerRequest, answer, votes = [], opened }: QuestionData): Html {
  const { question, why } = answerRequest;
  const voters = votes.filter(({ decision }) => decision === "approve").map(({ by }) => renderForeign(by));
  return html`<figure class="purpose"><figcaption>Question of the requester</figcaption>
    <blockquote>${renderCode(toPlainRuns(question), opened)}</blockquote>${
      why !== undefined &&
      html`<figcaption>Why the requester asks <strong>(not verified)</strong></figcaption><blockquote>${renderCode(toPlainRuns(why), opened)}</blockquote>`
    }</figure>
    ${renderOptions(answerRequest)}
    ${answer !== undefined && html`<div class="answer"><h3>Answer by ${joinList(voters)}</h3>${renderAnswer(answer, opened)}</div>`}`;
}

function renderOptions(request: AnswerRequest): Html {
  if (request.kind !== "choice") return html``;
  return html`<p>Options: ${joinList(request.options.map((option) => html`“${renderForeign(option)}”`))}.</p>`;
}

function renderAnswer(answer: Json, whole: boolean): Html {
  if (typeof answer === "boolean") return html`<p>${answer ? "Yes" : "No"}</p>`;
  return typeof answer === "string" ? renderWords(answer) : renderJson(answer, whole);
}
