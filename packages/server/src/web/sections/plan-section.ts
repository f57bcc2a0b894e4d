import type { Guard } from "@paraph/core";
import { formatCount } from "../html/code-block.ts";
import { type Html, html, joinList, renderForeign } from "../html/html.ts";
import { renderJson } from "../html/values.ts";
import type { ChangesSectionData, PagePlan, PageStep } from "../page-data/approval-types.ts";
import { renderChangeNames, renderChanges } from "./change-list.ts";

/** [P13] Renders a plan as one question: an overview, then what each step would change. */
export function renderPlan(page: ChangesSectionData & { readonly plan: PagePlan }): Html {
  const { plan } = page;
  return html`${renderOverview(plan)}${page.forms?.approve !== undefined && renderChoiceHelp(plan)}<ol class="steps">${plan.steps.map((step, index) => renderStep(step, index, page))}</ol>`;
}

/** Formats the number of a plan's steps, such as `17 steps`. */
export function formatStepCount(steps: number): string {
  return steps === 1 ? "one step" : `${formatCount(steps)} steps`;
}

/** Renders the positions of steps in the plan, such as `steps 1 to 3 and 7`. */
export function renderStepNumbers(ids: readonly string[], { steps }: PagePlan): Html {
  const places = steps.flatMap(({ id }, index) => (ids.includes(id) ? [index + 1] : []));
  if (places.length === steps.length) return html`${places.length === 1 ? "the step" : "every step"}`;
  const runs: [first: number, last: number][] = [];
  for (const place of places) {
    const run = runs.at(-1);
    if (run && place === run[1] + 1) run[1] = place;
    else runs.push([place, place]);
  }
  const words = runs.flatMap(([first, last]) => {
    if (first === last) return [String(first)];
    return last === first + 1 ? [String(first), String(last)] : [`${first} to ${last}`];
  });
  return html`${places.length === 1 ? "step" : "steps"} ${joinList(words)}`;
}

/** Renders the steps that a guard covers. Returns undefined if the guard covers the whole plan. */
export function renderGuardSteps({ steps }: Guard, plan: PagePlan | undefined): Html | undefined {
  return plan && steps ? renderStepNumbers(steps, plan) : undefined;
}

const failureTexts = {
  stop: "Paraph starts no further steps and keeps the completed ones",
  continue: "Paraph continues with the steps that do not depend on it",
  compensate: "Paraph starts no further steps and undoes the completed ones in reverse order",
} as const;

function renderOverview({ steps, onFailure, title }: PagePlan): Html {
  const grave = (["critical", "high"] as const).flatMap((risk) => {
    const found = steps.filter((step) => step.risk === risk).length;
    return found > 0 ? [html`<strong>${formatCount(found)} of ${risk} risk</strong>`] : [];
  });
  const unseen = steps.filter(({ previewed }) => !previewed).length;
  const cost = steps.reduce((sum, step) => sum + (step.cost ?? 0), 0);
  const masked = steps.filter((step) => step.cost === undefined).length;
  const facts = [
    html`${steps.length === 1 ? "One step" : `${formatCount(steps.length)} steps`}`,
    ...grave,
    ...(unseen > 0 ? [html`${formatCount(unseen)} without a preview`] : []),
    ...(cost > 0 ? [html`costs up to ${formatCount(cost)} <span class="quiet">in minor units</span>`] : []),
    ...(masked > 0 ? [html`${formatCount(masked)} with a hidden cost`] : []),
  ];
  return html`<div class="overview"><p>${facts.map((fact, index) => [index > 0 && ", ", fact])}.</p>
    <p>Steps run in this order, unless a step names the steps that it runs after.${onFailure && html` If a step does not succeed, ${failureTexts[onFailure]}.`}</p>
    ${title !== undefined && html`<p>Title given by the requester: “${renderForeign(title)}” <strong class="unchecked">(not verified)</strong></p>`}</div>`;
}

/** Renders what it means to leave a step out, because a reader cannot see that before the decision. */
function renderChoiceHelp({ steps }: PagePlan): Html {
  const isOrdered = steps.some(({ after = [] }) => after.length > 0);
  const others = isOrdered
    ? "Steps that use its values are skipped, and steps that only run after it still run."
    : "Steps that use its values are skipped.";
  return html`<p class="quiet">To leave a step out, clear its checkbox. It then needs no approval. ${others}</p>`;
}

/** Renders the steps of a plan with what came of each, without their details. */
export function renderStepOutcomes({ steps }: PagePlan): Html {
  const items = steps.map(
    (step, index) =>
      html`<li class="step"><p><span class="place">${index + 1}</span> ${renderForeign(step.headline)}</p>${renderStepStatus(step)}</li>`,
  );
  return html`<ol class="steps">${items}</ol>`;
}

function renderStep(
  step: PageStep,
  index: number,
  page: ChangesSectionData & { readonly plan: PagePlan },
): Html {
  const { id, headline, capability, risk, effect } = step;
  return html`<li class="step" id="step-${id}">${renderStepChoice(step, index, page)}<details${isOpenAtFirst(step, page.opened) && html` open`}><summary><span class="place">${index + 1}</span> <span><h3>${renderForeign(headline)}</h3> ${renderStepTags(step)}</span></summary>
    <p class="tags">${risk && !isGrave(risk) && html`<span class="risk ${risk}">${risk} risk</span> `}${effect && html`<span class="quiet">${effectTexts[effect]}</span> `}<code>${renderForeign(capability)}</code> <span class="quiet">ID <code>${renderForeign(id)}</code></span></p>
    ${step.status === "planned" && renderNotes(step, page.plan)}${renderStepDetail(step, page)}${renderEditLink(step, page)}</details>${renderStepStatus(step)}</li>`;
}

/**
 * A step that needs attention is open at first. The others take one line each until the reader opens the details of the
 * whole plan.
 */
function isOpenAtFirst({ status, risk, effect, declinedBy }: PageStep, opened: boolean): boolean {
  return status === "planned" && (opened || isGrave(risk) || effect === "destroy" || declinedBy.length > 0);
}

const isGrave = (risk: PageStep["risk"]): boolean => risk === "high" || risk === "critical";

/** Renders what a reader must know about a step before opening it. */
function renderStepTags({ risk, effect, previewed, inputKnown, hidden, declinedBy }: PageStep): Html {
  const tags = [
    effect === "destroy" && html`<span class="verb delete">Destructive</span>`,
    isGrave(risk) && html`<span class="risk ${risk}">${risk} risk</span>`,
    !hidden && !inputKnown && html`<span class="verb">known later</span>`,
    !hidden && inputKnown && !previewed && html`<span class="verb">no preview</span>`,
    declinedBy.length > 0 && html`<span class="verb">left out</span>`,
  ].filter((tag) => tag !== false);
  return html`<span class="step-tags">${tags.map((tag) => html`${tag} `)}</span>`;
}

export const effectTexts = {
  read: "Read",
  write: "Write",
  destroy: "Destructive",
} as const;

function renderStepStatus({ status, state, outcome, href }: PageStep): Html {
  const link = href !== undefined && html` <a href="${href}">View step</a>`;
  switch (status) {
    case "planned":
      return html``;
    case "declined":
      return html`<p class="came still">Left out: approvers approved the other steps only.</p>`;
    case "skipped":
      return html`<p class="came still">Skipped: an earlier step did not succeed or did not provide a required value.</p>`;
    case "open":
      return html`<p class="came waiting">${state === "asking" ? "Waiting for a separate approval of this step." : "In progress."}${link}</p>`;
    case "closed":
      return html`<p class="came ${outcome?.kind === "succeeded" ? "good" : "bad"}">${outcome?.kind === "succeeded" ? "Succeeded." : html`Outcome: ${outcome?.kind ?? "unknown"} <code>${outcome?.code ?? ""}</code>.`}${link}</p>`;
  }
}

function renderNotes(
  { inputKnown, previewed, dependsOn, after, cost, declinedBy, hidden }: PageStep,
  plan: PagePlan,
): Html {
  const on = (ids: readonly string[]) =>
    joinList(ids.map((id) => html`<a href="#step-${id}">${renderStepNumbers([id], plan)}</a>`));
  const notes = [
    !inputKnown &&
      html`Uses a value from ${on(dependsOn)}. Paraph creates the preview and applies policy once the value is known.`,
    inputKnown &&
      dependsOn.length > 0 &&
      html`Depends on ${on(dependsOn)}. Paraph creates a new preview after that.`,
    inputKnown &&
      dependsOn.length === 0 &&
      !previewed &&
      !hidden &&
      html`<strong>There is no preview.</strong> The exact changes are unknown.`,
    after && (after.length > 0 ? html`Runs after ${on(after)}.` : html`Does not wait for other steps.`),
    cost === undefined && html`The cost is hidden, because it equals a sensitive value.`,
    cost !== undefined &&
      cost > 0 &&
      html`Costs up to ${formatCount(cost)} <span class="quiet">in minor units</span>.`,
    declinedBy.length > 0 &&
      html`<strong>Left out by ${joinList(declinedBy.map(renderForeign))}</strong>. This step does not run unless they change their vote.`,
  ].filter((note) => note !== false && note !== undefined);
  return notes.length === 0
    ? html``
    : html`<ul class="plain notes">${notes.map((note) => html`<li>${note}</li>`)}</ul>`;
}

/** Renders the changes of a step with its input collapsed. Without changes, it renders only the input. */
function renderStepDetail(
  { changes, input, hidden }: PageStep,
  { opened, mustOpen }: ChangesSectionData,
): Html {
  if (hidden) return html`<p class="quiet">Only approvers of this step can see its details.</p>`;
  if (mustOpen) return changes.length > 0 ? renderChangeNames(changes) : html``;
  if (changes.length === 0)
    return input === undefined ? html`<p class="quiet">The input was erased.</p>` : renderJson(input, opened);
  return html`${renderChanges(changes, opened)}${
    input !== undefined &&
    html`<details class="more"${opened && html` open`}><summary>Full input</summary>${renderJson(input, opened)}</details>`
  }`;
}

/**
 * Renders the checkbox with which a voter approves a step or leaves it out. Paraph does not perform the steps that a
 * voter leaves out.
 */
function renderStepChoice({ id, declinedBy }: PageStep, index: number, { forms }: ChangesSectionData): Html {
  if (forms?.approve === undefined) return html``;
  // A step that another voter left out gets no checkbox, because Paraph does not perform it in any case.
  if (declinedBy.length > 0) return html`<input type="hidden" name="step:${id}" value="1" form="decision">`;
  return html`<label class="choice"><input type="checkbox" name="step:${id}" value="1" form="decision" aria-label="Approve step ${index + 1}" checked></label>`;
}

function renderEditLink({ editHref }: PageStep, { forms }: ChangesSectionData): Html {
  if (forms?.approve === undefined || editHref === undefined) return html``;
  return html`<p class="edit-step"><a class="button small" href="${editHref}">Edit this step</a></p>`;
}

/** Formats the progress of a plan, such as `3 of 17 steps have ended.` */
export function formatProgress({ steps }: PagePlan): string {
  const over = steps.filter(({ status }) => status === "closed").length;
  const taken = steps.filter(({ status }) => status !== "declined").length;
  return `${over} of ${taken} steps have ended.`;
}
