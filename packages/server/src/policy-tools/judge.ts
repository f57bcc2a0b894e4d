import { type Contract, type PolicySet, type Ruling, rule } from "@paraph/core";
import type { PastCall, PastRequest, Said } from "./past-call.ts";

/** Why a call of the past cannot be put to a candidate. */
export const unjudgedReasons = [
  "erased",
  "not-recorded",
  "contract-changed",
  "environment-not-recorded",
  "granted",
] as const;
export type UnjudgedReason = (typeof unjudgedReasons)[number];

export type Judgement =
  | { readonly kind: "unjudged"; readonly reason: UnjudgedReason }
  | {
      readonly kind: "judged";
      readonly wouldBe: Said;
      /** The capability previews, but policy had refused before there was a preview: this is the first answer only. */
      readonly unpreviewed: boolean;
    };

export interface Bench {
  readonly tenant: string;
  readonly set: PolicySet;
  /** What this process means by a capability's name now. */
  readonly capability: (
    name: string,
  ) => { readonly contract: Contract; readonly contractDigest: string } | undefined;
  /** `features.executor_confirm`. */
  readonly confirm: boolean;
}

/**
 * Puts a call of the past to a set of policies as it was put to the one in force then: the same principal, input,
 * preview and moment, and no evidence, as when it was new.
 */
export function judge(past: PastCall, bench: Bench): Judgement {
  const found = bench.capability(past.capability);
  if (found?.contractDigest !== past.contractDigest) return unjudged("contract-changed");
  if (!past.recorded) return unjudged("not-recorded");
  const { contract } = found;
  const { request, input, preview } = past;
  if (!request || input === undefined || (request.preview && !preview)) return unjudged("erased");
  if (!request.env && bench.set.readsEnvironment(contract)) return unjudged("environment-not-recorded");

  const subject = {
    ...{ contract, input, requirements: past.requirements },
    principal: { ...request.principal, tenant: bench.tenant },
    preview: request.preview ? preview : undefined,
    ...(request.env && { env: request.env }),
  };
  const ruling = rule({ current: () => bench.set }, subject, { votes: [] }, stanceOf(bench));
  // Whether the grant would have answered for these people as well is not written down.
  if (past.granted && awaitsPeople(ruling)) return unjudged("granted");
  return { kind: "judged", wouldBe: saidIn(ruling), unpreviewed: isFirstAnswer(contract, request, ruling) };
}

function unjudged(reason: UnjudgedReason): Judgement {
  return { kind: "unjudged", reason };
}

function stanceOf({ confirm }: Bench) {
  return { mode: "enforce", confirm } as const;
}

function awaitsPeople(ruling: Ruling): boolean {
  return ruling.kind === "ask" || (ruling.kind === "block" && ruling.code === "not-confirmed");
}

function saidIn(ruling: Ruling): Said {
  const { kind, policies } = ruling;
  return { kind, policies, ...(ruling.kind === "block" && { code: ruling.code }) };
}

/** What is blocked is blocked without a preview too. */
function isFirstAnswer(contract: Contract, request: PastRequest, ruling: Ruling): boolean {
  return contract.previews && !request.preview && ruling.kind !== "block";
}
