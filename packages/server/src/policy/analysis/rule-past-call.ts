import { type Capability, type Contract, type PolicySet, type Ruling, ruleAgain } from "@paraph/core";
import type { PastCall, PastRequest, RecordedRuling } from "./past-call.ts";

/** Why a call of the past cannot be put to a candidate. */
export const unjudgedReasons = [
  "erased",
  "not-recorded",
  "contract-changed",
  "environment-not-recorded",
  "granted",
] as const;
export type UnjudgedReason = (typeof unjudgedReasons)[number];

export type BacktestVerdict =
  | { readonly kind: "unjudged"; readonly reason: UnjudgedReason }
  | {
      readonly kind: "judged";
      readonly wouldBe: RecordedRuling;
      /** The capability previews, but policy had refused before there was a preview: this is the first answer only. */
      readonly unpreviewed: boolean;
    };

export interface BacktestContext {
  readonly tenant: string;
  readonly set: PolicySet;
  /** What this process means by a capability's name now. */
  readonly capability: (name: string) => Capability | undefined;
  /** `features.executor_confirm`. */
  readonly confirm: boolean;
}

/**
 * Puts a call of the past to a set of policies as it was put to the one in force then: the same principal, input,
 * preview, moment and steps, and the votes that counted when it was new.
 */
export async function rulePastCall(past: PastCall, bench: BacktestContext): Promise<BacktestVerdict> {
  const found = bench.capability(past.capability);
  if (found?.contractDigest !== past.contractDigest) return createUnjudged("contract-changed");
  if (!past.recorded) return createUnjudged("not-recorded");
  const { contract } = found;
  const { request, input, preview, coveredBy = [] } = past;
  if (!request || input === undefined || (request.preview && !preview)) return createUnjudged("erased");
  if (!request.env && bench.set.readsEnvironment(contract)) return createUnjudged("environment-not-recorded");

  const counted = new Set(request.votes?.map(({ by }) => by));
  const question = {
    input,
    requirements: past.requirements,
    votes: coveredBy.filter(({ by }) => counted.has(by)),
    principal: { ...request.principal, tenant: bench.tenant },
    preview: request.preview ? preview : undefined,
    ...(request.env && { env: request.env }),
  };
  const ruling = await ruleAgain(question, found, bench);
  if (typeof ruling === "string") return createUnjudged(ruling);
  // Whether the grant would have answered for these people as well is not written down.
  if (isAwaitingPeople(ruling) && (past.granted || isLiftedByGrant(ruling, request)))
    return createUnjudged("granted");
  return {
    kind: "judged",
    wouldBe: toRecordedRuling(ruling),
    unpreviewed: isFirstRuling(contract, request, ruling),
  };
}

/** A guard of a step that was met then without a vote: by a grant for that step. */
function isLiftedByGrant(ruling: Ruling, { discharged, votes = [] }: PastRequest): boolean {
  return (
    ruling.kind === "ask" && votes.length === 0 && ruling.guards.some(({ id }) => discharged.includes(id))
  );
}

function createUnjudged(reason: UnjudgedReason): BacktestVerdict {
  return { kind: "unjudged", reason };
}

function isAwaitingPeople(ruling: Ruling): boolean {
  return ruling.kind === "ask" || (ruling.kind === "block" && ruling.code === "not-confirmed");
}

function toRecordedRuling(ruling: Ruling): RecordedRuling {
  const { kind, policies } = ruling;
  return { kind, policies, ...(ruling.kind === "block" && { code: ruling.code }) };
}

/** What is blocked is blocked without a preview too. */
function isFirstRuling(contract: Contract, request: PastRequest, ruling: Ruling): boolean {
  return contract.previews && !request.preview && ruling.kind !== "block";
}
