import type { Guard } from "@paraph/core";
import { formatCalls, formatCount } from "../html/code-block.ts";
import { type Html, html, joinList, renderForeign } from "../html/html.ts";
import { formatDuration } from "../html/time.ts";
import { formatFingerprint } from "../html/values.ts";
import type { ApprovalPage } from "../page-data/approval-types.ts";
import { findDeviations } from "../page-data/deviations.ts";
import type { BundlePage, BundleResult, BundleResultPage } from "../page-data/list-types.ts";
import { renderChangesSection } from "../sections/changes-section.ts";
import { renderChecks } from "../sections/evidence-section.ts";
import { renderNotUndone } from "../sections/not-undone-section.ts";
import { effectTexts } from "../sections/plan-section.ts";
import { renderUnverified } from "../sections/unverified-section.ts";
import { renderReasons } from "../sections/votes-section.ts";
import { formatNotYours } from "./inbox-page.ts";
import { renderLayout } from "./layout.ts";

/** The maximum number of paths that a card names if its call differs from the others. */
const maxPaths = 5;

/** Renders a flood of approvals. The page shows each one completely, with its own decision. */
export function renderBundlePage({ reader, principal, capability, count, more, items }: BundlePage): string {
  const answerable = items.some(({ forms }) => forms.deny !== undefined);
  const deviations = findDeviations(items.map(({ input }) => input));
  const shared = findSharedGuards(items);
  const different = items.filter((_, index) => deviations[index]!.length > 0);
  return renderLayout(
    "Similar approvals",
    reader,
    html`<main class="bundle"><h1>${renderForeign(principal)} requested ${more ? "at least " : ""}${formatCalls(count)} of <code>${renderForeign(capability)}</code></h1>
    <p class="quiet">${items.length < count ? `This page shows ${formatCount(items.length)} of them. ` : ""}You decide each approval separately. Approvals that you leave open stay open.</p>
    ${different.length > 0 && renderDifferent(different)}
    <form method="post" action="/approvals/bundle">
      <input type="hidden" name="principal" value="${principal}"><input type="hidden" name="capability" value="${capability}">
      ${shared && renderReasons(shared)}<ol class="plain">${items.map((item, index) => renderItem(item, deviations[index]!, shared === undefined))}</ol>
      ${
        answerable &&
        html`<div class="field denials"><label for="reason">Reason for all denials <span class="quiet">recorded and shown to the requester</span></label>
      <textarea id="reason" name="reason" rows="2" maxlength="2000"></textarea></div>
      <p class="answers"><button class="approve">Send decisions</button></p>`
      }
    </form></main>`,
  );
}

/** Renders what came of each decision that a person sent about a flood. */
export function renderBundleResultPage({ reader, results }: BundleResultPage): string {
  const recorded = results.filter(({ state }) => state !== undefined).length;
  const title = `${formatCount(recorded)} of ${formatCount(results.length)} ${results.length === 1 ? "decision" : "decisions"} recorded`;
  return renderLayout(
    title,
    reader,
    html`<main class="bundle"><h1>${title}</h1>
    <ul class="plain">${results.map(renderResult)}</ul>
    <p><a class="button" href="/approvals">All approvals</a></p></main>`,
  );
}

function renderResult({ approval, headline, decision, state, problem }: BundleResult): Html {
  const given = decision === "approve" ? "Approved" : "Denied";
  const said =
    state === undefined
      ? html`<span class="vote bad">Not recorded</span> ${problem}`
      : html`<span class="vote ${decision}">${given}</span> ${describeAfterDecision(decision, state)}`;
  return html`<li class="card"><h2><a href="/approvals/${approval}">${renderForeign(headline)}</a></h2><p>${said}</p></li>`;
}

function describeAfterDecision(decision: BundleResult["decision"], state: ApprovalPage["state"]): string {
  if (decision === "deny") return "The call did not run.";
  return state === "asking" ? "Waiting for more approvals." : "The call may run now.";
}

/** Returns the guards of every call, if they ask for the same reasons. */
function findSharedGuards(items: readonly ApprovalPage[]): readonly Guard[] | undefined {
  const [first, ...others] = items;
  const format = ({ guards }: ApprovalPage) =>
    JSON.stringify(guards.map(({ id, sentence, steps }) => [id, sentence, steps]));
  return first && others.length > 0 && others.every((item) => format(item) === format(first))
    ? first.guards
    : undefined;
}

/** Renders links to the calls that differ from most others, so that the reader does not have to compare all of them. */
function renderDifferent(items: readonly ApprovalPage[]): Html {
  const links = items.map(
    ({ approval, headline }) => html`<a href="#item-${approval}">${renderForeign(headline)}</a>`,
  );
  return html`<div class="caution"><p><strong>${items.length === 1 ? "One call differs" : `${formatCalls(items.length)} differ`} from the others:</strong> ${joinList(links)}.</p></div>`;
}

function renderDeviation(paths: readonly string[]): Html {
  const shown = paths.slice(0, maxPaths).map((path) => html`<code>${renderForeign(path)}</code>`);
  const rest = paths.length > maxPaths ? [`${formatCount(paths.length - maxPaths)} more`] : [];
  return html`<p class="caution">Differs from most of these calls in ${joinList([...shown, ...rest])}.</p>`;
}

function renderItem(page: ApprovalPage, differs: readonly string[], hasOwnReasons: boolean): Html {
  const { approval, headline, digest, forms, expiresAt, now, contract, editedBy } = page;
  const choice = (value: string, word: string, first = false) =>
    html`<label><input type="radio" name="decision:${approval}" value="${value}"${first && html` checked`}> ${word}</label> `;
  return html`<li class="card" id="item-${approval}"><h2>${renderForeign(headline)}</h2>
    ${differs.length > 0 && renderDeviation(differs)}
    <p class="tags">${contract && html`<span class="risk ${contract.risk}">${contract.risk} risk</span> <span class="quiet">${effectTexts[contract.effect]}</span> `}<a href="/approvals/${approval}"><code>${formatFingerprint(digest)}</code></a> <span class="quiet">${formatDuration(expiresAt - now)} left</span></p>
    ${editedBy !== undefined && html`<p><strong>${renderForeign(editedBy)}</strong> edited the input.</p>`}${hasOwnReasons && renderReasons(page.guards, page.plan)}
    ${renderChangesSection({ ...page, opened: true, mustOpen: false, forms: {} })}
    ${renderUnverified("Purpose", page.purpose, true)}${page.notUndone.length > 0 && renderNotUndone(page.notUndone)}${page.checks.length > 0 && renderChecks(page.checks)}
    ${
      forms.deny !== undefined &&
      html`<fieldset><legend>Your decision</legend><input type="hidden" name="digest:${approval}" value="${digest}"><input type="hidden" name="proof:${approval}" value="${forms.approve ?? forms.deny}">
      ${choice("", "Leave open", true)}${forms.approve !== undefined && !page.needsPasskey && choice("approve", "Approve")}${choice("deny", "Deny")}${forms.approve !== undefined && page.needsPasskey && html`<a href="/approvals/${approval}">Approve with passkey</a>`}</fieldset>`
    }${forms.approve === undefined && html`<p class="quiet">You cannot approve it: ${explainNoApproval(page)}.</p>`}</li>`;
}

function explainNoApproval({ reader, votes }: ApprovalPage): string {
  if (votes.some(({ by }) => by === reader.id)) return formatNotYours("voted");
  const { voterStatus } = reader;
  return voterStatus === "approver" || voterStatus === "confirmation"
    ? "it is no longer open"
    : formatNotYours(voterStatus);
}
