import {
  type Approval,
  type Call,
  type Child,
  type Contract,
  eventsOfKind,
  hasBegun,
  type Json,
  lastPreview,
  maskText,
  type Preview,
} from "@paraph/core";
import { describeCapability } from "../../http/views/headline-view.ts";
import { toStepViews } from "../../http/views/plan-view.ts";
import type { ApprovalPage, PagePlan, PageStep, PageVote } from "./approval-types.ts";
import type { FindReason } from "./reasons.ts";

/** The data, other than the call, that a plan's page is built from. */
export interface PlanPageInput {
  /** The calls that the plan has made. */
  readonly steps: readonly Child[];
  findContract(capability: string): Contract | undefined;
  /** The function that returns the address of a step's edit page. Undefined if the plan cannot be edited. */
  readonly editHref: ((step: string) => string) | undefined;
}

/** [P13] Builds the steps of a call as this reader may see them. Returns undefined if the call has no steps. */
export function buildPagePlan(
  call: Call,
  shown: { readonly input?: Json; readonly preview: ApprovalPage["preview"] },
  { steps, findContract, editHref }: PlanPageInput,
): PagePlan | undefined {
  if (!lastPreview(call)?.steps && steps.length === 0) return undefined;
  const { title, onFailure } = (shown.input ?? {}) as Pick<PagePlan, "title" | "onFailure">;
  const preview = typeof shown.preview === "object" ? shown.preview : null;
  const votes = listVotes(call, call.approval);
  const views = toStepViews(call, { input: shown.input, preview: preview as never }, steps);
  return {
    ...(typeof title === "string" && { title }),
    ...(onFailure !== undefined && onFailure in failureModes && { onFailure }),
    steps: views.map(({ step, capability, input, call: made, ...view }): PageStep => {
      const { changes = [], previewed = false, inputKnown = true, dependsOn = [] } = view;
      const cost = readCost(view.cost);
      const shownHeadline = view.headline === maskText ? undefined : view.headline;
      const headline = shownHeadline ?? describeCapability(findContract(capability), capability);
      return {
        id: step,
        headline,
        capability,
        previewed,
        inputKnown,
        dependsOn,
        cost,
        // Until the plan begins, the page shows every step as planned, because the status of a step may still change.
        status: hasBegun(call) ? view.status : "planned",
        changes: changes as Preview["changes"],
        hidden: input === maskText,
        declinedBy: votes.filter(({ declined }) => declined?.includes(step)).map(({ by }) => by),
        ...(view.effect && { effect: view.effect }),
        ...(view.risk && { risk: view.risk }),
        ...(input !== undefined && { input: input as Json }),
        ...(view.after && { after: view.after }),
        ...(view.state && { state: view.state }),
        ...(view.outcome && { outcome: view.outcome }),
        ...(made !== undefined && { href: `/calls/${made}` }),
        ...(editHref && input !== maskText && { editHref: editHref(step) }),
      };
    }),
  };
}

/** [TRUST 6] Returns undefined for a masked cost, which must not look like none. */
function readCost(cost: unknown): number | undefined {
  if (cost === maskText) return undefined;
  return typeof cost === "number" ? cost : 0;
}

const failureModes: Readonly<Record<NonNullable<PagePlan["onFailure"]>, true>> = {
  stop: true,
  continue: true,
  compensate: true,
};

/** Returns the votes of a round, each with the steps that it left out and its reason. */
export function listVotes(
  { events }: Pick<Call, "events">,
  round: Approval | undefined,
  findReason?: FindReason,
): readonly PageVote[] {
  return (round?.votes ?? []).map((vote) => {
    const cast = eventsOfKind(events, "voted").findLast(
      ({ data }) => data.round === round?.round && data.by === vote.by,
    );
    const { declined, proof, answerDigest } = cast?.data ?? {};
    const reason = cast && findReason?.(cast.data);
    const { proof: _assertion, ...rest } = vote;
    return {
      ...rest,
      ...(declined && { declined }),
      ...(answerDigest !== undefined && { answered: true }),
      ...(proof && { proof: proof.kind }),
      ...(reason !== undefined && { reason }),
    };
  });
}
