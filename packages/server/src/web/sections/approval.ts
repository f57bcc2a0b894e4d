import { fingerprint } from "@paraph/core";
import { parentHtml } from "./call.ts";
import { code, plain } from "./code.ts";
import { decisionHtml } from "./decision.ts";
import { checksHtml, historyHtml } from "./evidence.ts";
import { frame } from "./frame.ts";
import { type Html, html, said } from "./html.ts";
import { movedHtml } from "./moved.ts";
import { notUndoneHtml } from "./not-undone.ts";
import { answersHtml, askerHtml, whyHtml } from "./people.ts";
import { effects, planTitle } from "./plan.ts";
import { standingHtml } from "./standing.ts";
import { behindHtml, substanceHtml } from "./substance.ts";
import { handOverHtml, threadHtml } from "./thread.ts";
import { moment, span } from "./time.ts";
import type { ApprovalPage } from "./view.ts";

/** The whole truth about one action on one screen: what, who, why, and the two answers. */
export function approvalHtml(page: ApprovalPage): string {
  const { checks, history, purpose, guards, votes, preview, earlier, thread, forms } = page;
  return frame(
    titleOf(page),
    page.reader.id,
    html`<main class="approval">
    <header>${standingHtml(page)}${titleHtml(page)}</header>
    <div class="columns"><section class="substance" aria-labelledby="changes"><h2 id="changes">${headingOf(page)}</h2>${substanceHtml(page)}
    ${page.notUndone.length > 0 && notUndoneHtml(page.notUndone)}
    ${earlier && typeof preview === "object" && movedHtml(earlier, preview, page.opened)}
    ${purpose !== undefined && purposeHtml(purpose, page.opened)}${behindHtml(page)}</section>
    <aside aria-label="About this question">
      ${card("Answers", answersHtml(guards, votes, page.plan))}
      ${checks.length > 0 && card("Checks", checksHtml(checks))}
      ${history && card("History", historyHtml(page, history))}
      ${(thread.length > 0 || forms.say !== undefined) && card("Thread", threadHtml(page))}
      ${forms.say !== undefined && forms.deny !== undefined && isAsked(page) && card("Let somebody else decide", handOverHtml(page))}
      ${card("Details", factsHtml(page))}
    </aside></div>
    ${decisionHtml(page)}
  </main>`,
  );
}

function isAsked({ reader }: ApprovalPage): boolean {
  return reader.standing === "approver" || reader.standing === "confirmation";
}

function titleOf({ plan, contract, capability }: ApprovalPage): string {
  return plan ? planTitle(plan.steps.length) : (contract?.summary ?? capability);
}

function headingOf({ plan, status }: ApprovalPage): string {
  if (plan) return "Its steps";
  return status === "open" ? "What will change" : "What was asked";
}

function titleHtml(page: ApprovalPage): Html {
  const { contract, capability, asker, guards, editedBy, plan } = page;
  return html`<h1>${said(titleOf(page))}</h1>
    <p class="tags">${contract && html`<span class="risk ${contract.risk}">${contract.risk} risk</span> <span class="quiet">${effects[contract.effect]}</span> `}<code>${said(capability)}</code></p>
    <p class="asker">${askerHtml(asker)}${contract?.performer && html` <strong>It performs this itself</strong>: your answer lets it, and what came of it is what it reports.`}${editedBy !== undefined && html` <strong>${said(editedBy)}</strong> has edited what it asks for.`}</p>
    ${parentHtml(page)}${whyHtml(guards, plan)}`;
}

/** What the agent says is set apart from what we know. */
function purposeHtml(purpose: string, whole: boolean): Html {
  return html`<figure class="purpose"><figcaption>In its own words, <strong>which nobody has checked</strong></figcaption>
    <blockquote>${code(plain(purpose), whole)}</blockquote></figure>`;
}

function card(title: string, body: Html): Html {
  return html`<section class="card"><h2>${title}</h2>${body}</section>`;
}

function factsHtml(page: ApprovalPage): Html {
  const { status, expiresAt, askedAt, now, digest, round, approval, call, state } = page;
  const isOpen = status === "open" && expiresAt > now;
  const rows: readonly (readonly [string, Html])[] = [
    ["Asked", moment(askedAt)],
    [
      isOpen ? "Expires" : "Until",
      html`${moment(expiresAt)}${isOpen && html` <span class="quiet">${span(expiresAt - now)} from when this page was shown</span>`}`,
    ],
    ["Fingerprint", html`<code>${fingerprint(digest)}</code>`],
    ["Round", html`${round} <span class="quiet"><code>${said(approval)}</code></span>`],
    ["Call", html`<code>${said(call)}</code>`],
  ];
  const receipt =
    state === "closed" && html`<p><a href="/v1/calls/${call}/receipt">The signed receipt</a></p>`;
  return html`<dl>${rows.map(([name, value]) => html`<div><dt>${name}</dt><dd>${value}</dd></div>`)}</dl>${receipt}`;
}
