import { type Capability, type Contract, type PolicySet, type Ruling, ruleAgain } from "@paraph/core";
import type { PastCall, PastRequest, RecordedRuling } from "./past-call.ts";

/** The reasons why a past call cannot be ruled on again. */
export const notEvaluatedReasons = [
  "erased",
  "not-recorded",
  "contract-changed",
  "environment-not-recorded",
  "granted",
] as const;
export type NotEvaluatedReason = (typeof notEvaluatedReasons)[number];

/** The ruling on a past call, or the reason why there is none. */
export type BacktestVerdict =
  | { readonly kind: "notEvaluated"; readonly reason: NotEvaluatedReason }
  | {
      readonly kind: "evaluated";
      readonly wouldBe: RecordedRuling;
      /**
       * Whether the past call was refused before it had a preview, although its capability supports previews. Only the
       * first ruling is then known.
       */
      readonly unpreviewed: boolean;
    };

/** The candidate set, and the tenant, capabilities and settings for its rulings on past calls. */
export interface BacktestContext {
  readonly tenant: string;
  readonly set: PolicySet;
  /** Returns the current capability of this name. */
  readonly capability: (name: string) => Capability | undefined;
  /** The setting `features.executor_confirm`. */
  readonly confirm: boolean;
}

/**
 * Rules on a past call with a policy set, under the conditions of the call's first policy request. It uses the recorded
 * principal, input, preview, time and steps, and the votes that counted then.
 */
export async function rulePastCall(past: PastCall, context: BacktestContext): Promise<BacktestVerdict> {
  const found = context.capability(past.capability);
  if (found?.contractDigest !== past.contractDigest) return createNotEvaluated("contract-changed");
  if (!past.recorded) return createNotEvaluated("not-recorded");
  const { contract } = found;
  const { request, input, preview, coveredBy = [] } = past;
  if (!request || input === undefined || (request.preview && !preview)) return createNotEvaluated("erased");
  if (!request.env && context.set.readsEnvironment(contract))
    return createNotEvaluated("environment-not-recorded");

  const counted = new Set(request.votes?.map(({ by }) => by));
  const question = {
    input,
    requirements: past.requirements,
    votes: coveredBy.filter(({ by }) => counted.has(by)),
    principal: { ...request.principal, tenant: context.tenant },
    preview: request.preview ? preview : undefined,
    ...(request.env && { env: request.env }),
  };
  const ruling = await ruleAgain(question, found, context);
  if (typeof ruling === "string") return createNotEvaluated(ruling);
  // If a grant took the place of votes, the records do not show whether that grant would also have satisfied the guards
  // of this ruling. The call is therefore not evaluated.
  if (isAwaitingPeople(ruling) && (past.granted || isLiftedByGrant(ruling, request)))
    return createNotEvaluated("granted");
  return {
    kind: "evaluated",
    wouldBe: toRecordedRuling(ruling),
    unpreviewed: isFirstRuling(contract, request, ruling),
  };
}

/** Whether a guard of a step was met without a vote. In that case, a grant for the step met the guard. */
function isLiftedByGrant(ruling: Ruling, { discharged, votes = [] }: PastRequest): boolean {
  return (
    ruling.kind === "ask" && votes.length === 0 && ruling.guards.some(({ id }) => discharged.includes(id))
  );
}

function createNotEvaluated(reason: NotEvaluatedReason): BacktestVerdict {
  return { kind: "notEvaluated", reason };
}

function isAwaitingPeople(ruling: Ruling): boolean {
  return ruling.kind === "ask" || (ruling.kind === "block" && ruling.code === "not-confirmed");
}

function toRecordedRuling(ruling: Ruling): RecordedRuling {
  const { kind, policies } = ruling;
  return {
    kind,
    policies,
    ...(ruling.kind === "block" && { code: ruling.code }),
    ...(ruling.kind === "ask" && { guards: ruling.guards }),
  };
}

/**
 * Whether another ruling would follow once there is a preview. It would follow if the capability supports previews, the
 * request has no preview, and this ruling is not a block. A block is final, because a preview cannot lift it.
 */
function isFirstRuling(contract: Contract, request: PastRequest, ruling: Ruling): boolean {
  return contract.previews && !request.preview && ruling.kind !== "block";
}
