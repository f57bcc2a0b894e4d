import type { Guard } from "@paraph/core";
import { type Html, html, listed, said } from "./html.ts";
import { guardPlaces, placesOf } from "./plan.ts";
import { moment } from "./time.ts";
import type { Asker, PagePlan, PageVote } from "./view.ts";

const kinds: Readonly<Record<Asker["kind"], string>> = {
  agent: "an agent",
  service: "a service",
  person: "a person",
};

/** Who asks, for whom, and who answers for it: one sentence. */
export function askerHtml({ id, kind, owner, onBehalfOf }: Asker): Html {
  return html`<strong>${said(id)}</strong>, ${kinds[kind]}, asks${
    onBehalfOf !== undefined && html` on behalf of <strong>${said(onBehalfOf)}</strong>`
  }.${owner !== undefined && html` <span class="quiet">${said(owner)} answers for it.</span>`}`;
}

/** Why people are asked: each policy's own sentence, and its name. */
export function whyHtml(guards: readonly Guard[], plan?: PagePlan): Html {
  const items = guards.map((guard) => {
    const places = guardPlaces(guard, plan);
    return html`<li>${said(guard.sentence)} <span class="quiet">${places && html`for ${places}, `}policy <code>${said(guard.id)}</code></span></li>`;
  });
  return html`<ul class="plain why" aria-label="Why people are asked">${items}</ul>`;
}

/** How far each quorum is, and who has answered what. */
export function answersHtml(guards: readonly Guard[], votes: readonly PageVote[], plan?: PagePlan): Html {
  const quorums = guards.map((guard) => {
    const { quorum, group } = guard;
    const have = Math.min(votesFor(guard, votes), quorum);
    const people = quorum === 1 ? "person" : "people";
    const places = guardPlaces(guard, plan);
    return html`<li><strong>${have} of ${quorum}</strong> ${people}${group !== undefined && html` of ${said(group)}`}${places && html` <span class="quiet">for ${places}</span>`}</li>`;
  });
  const cast = votes.map(
    ({ by, at, declined, ...vote }) =>
      html`<li><span class="vote ${vote.decision}">${wordOf(vote)}</span> by ${said(by)}${plan && declined && html`, without ${placesOf(declined, plan)}`} <span class="quiet">${moment(at)}</span></li>`,
  );
  return html`<ul class="plain">${quorums}${cast}</ul>`;
}

/** How many people are still missing before every guard has enough. */
export function missing(guards: readonly Guard[], votes: readonly PageVote[]): number {
  return Math.max(0, ...guards.map((guard) => guard.quorum - votesFor(guard, votes)));
}

export function groupsOf(guards: readonly Guard[]): Html {
  const names = new Set(guards.flatMap(({ group }) => (group === undefined ? [] : [group])));
  return listed([...names].map(said));
}

function votesFor({ group }: Guard, votes: readonly PageVote[]): number {
  return votes.filter(
    ({ decision, groups = [] }) => decision === "approve" && (group === undefined || groups.includes(group)),
  ).length;
}

function wordOf({ decision, as }: Pick<PageVote, "decision" | "as">): string {
  if (decision === "deny") return "Denied";
  if (decision === "return") return "Returned";
  return as === "confirmation" ? "Confirmed" : "Approved";
}
