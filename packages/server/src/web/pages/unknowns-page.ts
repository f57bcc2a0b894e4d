import { type Html, html, renderForeign } from "../html/html.ts";
import { formatAgo, renderTime } from "../html/time.ts";
import { renderJson } from "../html/values.ts";
import type { UnknownItem, UnknownsPage } from "../page-data/list-types.ts";
import { renderStepOutcomes } from "../sections/plan-section.ts";
import { renderLayout } from "./layout.ts";

/** Renders the calls with unknown outcomes, so that a person can check each and record the finding. */
export function renderUnknownsPage({ reader, items, now, next }: UnknownsPage): string {
  // The outcome of a plan follows from its steps, so a person resolves the steps first.
  const stepsFirst = items.toSorted((a, b) => Number(a.plan !== undefined) - Number(b.plan !== undefined));
  return renderLayout(
    "Unknown outcomes",
    reader,
    html`<main class="inbox unknowns"><h1>${items.length === 0 ? "No unknown outcomes" : "Did these calls take effect?"}</h1>
    <p class="quiet">Paraph attempted each call and does not know whether it took effect. Paraph records your finding with your name and then releases the call's locks.</p>
    <ul class="plain">${stepsFirst.map((item) => renderItem(item, now))}</ul>
    ${next !== undefined && html`<p><a class="button" href="/approvals/unknown?before=${next}">Show older calls</a></p>`}
  </main>`,
  );
}

function renderItem(item: UnknownItem, now: number): Html {
  const { call, headline, capability, asker, closedAt, proof, canProbe, canRetry } = item;
  const self = `/approvals/unknown/${call}`;
  const hidden = html`<input type="hidden" name="proof" value="${proof}">`;
  return html`<li class="card"><h2>${renderForeign(headline)}</h2>
    <p class="tags"><code>${renderForeign(capability)}</code> <span class="quiet">requested by ${renderForeign(asker)}, attempted ${formatAgo(closedAt, now)}, ${renderTime(closedAt)}</span></p>
    ${renderSubject(item)}
    ${canProbe && html`<form method="post" action="${self}/probe">${hidden}<button class="small">Probe external system</button></form>`}
    <form method="post" action="${self}/resolution">${hidden}
      <label for="why-${call}">How did you find out?</label>
      <textarea id="why-${call}" name="reason" rows="2" maxlength="2000" required></textarea>
      <p class="answers"><button name="finding" value="happened">It happened</button> <button name="finding" value="not-happened">It did not happen</button>${canRetry && html` <button name="finding" value="retry">It did not happen, retry call</button>`}</p>
    </form></li>`;
}

/** Renders what the finding is about: the steps of a plan, or the input of another call. */
function renderSubject({ plan, input }: UnknownItem): Html {
  if (plan)
    return html`<p>Find out about the steps with unknown outcomes first. Then say whether the plan as a whole took effect.</p>${renderStepOutcomes(plan)}`;
  return input === undefined ? html`<p class="quiet">The input was erased.</p>` : renderJson(input, false);
}
