import { type CheckResult, type OutcomeKind, outcomeKinds } from "@paraph/core";
import { formatCount } from "../html/code-block.ts";
import { type Html, html, joinList, renderForeign } from "../html/html.ts";
import { formatAgo, renderTime } from "../html/time.ts";
import type { ApprovalPage, PageHistory } from "../page-data/approval-types.ts";

/** Renders the checks that policy demanded, with their findings. */
export function renderChecks(checks: readonly CheckResult[]): Html {
  const items = checks.map(({ check, passed, error, score, findings }) => {
    const [tone, word] = error ? ["bad", "Could not run"] : passed ? ["good", "Passed"] : ["bad", "Failed"];
    const found = findings.map(
      ({ code, path, sentence }) =>
        html`<li>${renderForeign(sentence)} <span class="quiet"><code>${renderForeign(code)}</code>${path !== undefined && html` at <code>${renderForeign(path)}</code>`}</span></li>`,
    );
    return html`<li><p><span class="vote ${tone}">${word}</span> <code>${renderForeign(check)}</code>${score !== undefined && html` <span class="quiet">${score} of 100</span>`}</p>
      ${found.length > 0 && html`<ul>${found}</ul>`}</li>`;
  });
  return html`<ul class="plain">${items}</ul>`;
}

const outcomeTexts: Readonly<Record<OutcomeKind, string>> = {
  succeeded: "succeeded",
  failed: "failed",
  refused: "refused",
  denied: "denied by approvers",
  expired: "expired",
  cancelled: "cancelled",
  superseded: "superseded",
  unknown: "with unknown outcome",
};

/** Renders how this requester's earlier calls of this capability ended. */
export function renderHistory({ asker, capability, now }: ApprovalPage, history: PageHistory): Html {
  const { outcomes, lastDeniedAt, newest } = history;
  const counts = outcomeKinds.filter((kind) => (outcomes[kind] ?? 0) > 0);
  const pair = html`${renderForeign(asker.id)} of <code>${renderForeign(capability)}</code>`;
  if (counts.length === 0) return html`<p>This is the first call by ${pair}.</p>`;
  const list = joinList(
    counts.map((kind) => html`<strong>${formatCount(outcomes[kind] ?? 0)}</strong> ${outcomeTexts[kind]}`),
  );
  const denied =
    lastDeniedAt !== undefined &&
    html`<p>Last denied ${formatAgo(lastDeniedAt, now)} <span class="quiet">${renderTime(lastDeniedAt)}</span>.</p>`;
  return html`<p>Earlier calls by ${pair}: ${list}.</p>${denied}${
    newest !== undefined && html`<p class="quiet">Based on the newest ${formatCount(newest)} calls.</p>`
  }`;
}
