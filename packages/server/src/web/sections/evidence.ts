import { type CheckResult, type OutcomeKind, outcomeKinds } from "@paraph/core";
import { count } from "./code.ts";
import { type Html, html, listed, said } from "./html.ts";
import { ago, moment } from "./time.ts";
import type { ApprovalPage, History } from "./view.ts";

/** The checks that policy demanded, and what they found. */
export function checksHtml(checks: readonly CheckResult[]): Html {
  const items = checks.map(({ check, passed, error, score, findings }) => {
    const [tone, word] = error
      ? ["bad", "Could not be run"]
      : passed
        ? ["good", "Passed"]
        : ["bad", "Did not pass"];
    const found = findings.map(
      ({ code, path, sentence }) =>
        html`<li>${said(sentence)} <span class="quiet"><code>${said(code)}</code>${path !== undefined && html` at <code>${said(path)}</code>`}</span></li>`,
    );
    return html`<li><p><span class="vote ${tone}">${word}</span> <code>${said(check)}</code>${score !== undefined && html` <span class="quiet">${score} of 100</span>`}</p>
      ${found.length > 0 && html`<ul>${found}</ul>`}</li>`;
  });
  return html`<ul class="plain">${items}</ul>`;
}

const words: Readonly<Record<OutcomeKind, string>> = {
  succeeded: "succeeded",
  failed: "failed",
  refused: "refused by policy",
  denied: "denied by people",
  expired: "expired",
  cancelled: "cancelled",
  superseded: "superseded",
  unknown: "of unknown outcome",
};

/** What this asker has done with this capability before. */
export function historyHtml({ asker, capability, now }: ApprovalPage, history: History): Html {
  const { outcomes, lastDeniedAt, newest } = history;
  const counts = outcomeKinds.filter((kind) => (outcomes[kind] ?? 0) > 0);
  const pair = html`${said(asker.id)} and <code>${said(capability)}</code>`;
  if (counts.length === 0) return html`<p>The first time for ${pair}.</p>`;
  const list = listed(
    counts.map((kind) => html`<strong>${count(outcomes[kind] ?? 0)}</strong> ${words[kind]}`),
  );
  const denied =
    lastDeniedAt !== undefined &&
    html`<p>Last denied ${ago(lastDeniedAt, now)} <span class="quiet">${moment(lastDeniedAt)}</span>.</p>`;
  return html`<p>${pair}: ${list}.</p>${denied}${
    newest !== undefined && html`<p class="quiet">Of the newest ${count(newest)} calls.</p>`
  }`;
}
