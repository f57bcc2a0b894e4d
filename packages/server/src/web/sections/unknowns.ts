import { frame } from "./frame.ts";
import { type Html, html, said } from "./html.ts";
import { ago, moment } from "./time.ts";
import { jsonHtml } from "./values.ts";
import type { UnknownItem, UnknownsPage } from "./view.ts";

/** Calls whose effect may or may not have happened: somebody looks, and says what they found. */
export function unknownsHtml({ reader, items, now, next }: UnknownsPage): string {
  return frame(
    "Unknown outcomes",
    reader,
    html`<main class="inbox unknowns"><h1>${items.length === 0 ? "Every outcome is known" : "Did these happen?"}</h1>
    <p class="quiet">Each was tried, and nobody knows whether it had its effect. What you say is signed with your name; what the call holds is free afterwards.</p>
    <ul class="plain">${items.map((item) => itemHtml(item, now))}</ul>
    ${next !== undefined && html`<p><a class="button" href="/approvals/unknown?before=${next}">Older ones</a></p>`}
  </main>`,
  );
}

function itemHtml(item: UnknownItem, now: number): Html {
  const { call, capability, summary, asker, closedAt, input, proof, canProbe } = item;
  const self = `/approvals/unknown/${call}`;
  const hidden = html`<input type="hidden" name="proof" value="${proof}">`;
  return html`<li class="card"><h2>${said(summary ?? capability)}</h2>
    <p class="tags"><code>${said(capability)}</code> <span class="quiet">asked by ${said(asker)}, tried ${ago(closedAt, now)}, ${moment(closedAt)}</span></p>
    ${input === undefined ? html`<p class="quiet">The input was erased.</p>` : jsonHtml(input, false)}
    ${canProbe && html`<form method="post" action="${self}/probe">${hidden}<button class="small">Ask the system again</button></form>`}
    <form method="post" action="${self}/resolution">${hidden}
      <label for="why-${call}">How you found out</label>
      <textarea id="why-${call}" name="reason" rows="2" maxlength="2000" required></textarea>
      <p class="answers"><button name="finding" value="happened">It happened</button> <button name="finding" value="not-happened">It did not</button> <button name="finding" value="retry">It did not: try again</button></p>
    </form></li>`;
}
