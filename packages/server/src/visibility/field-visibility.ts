import {
  type Call,
  conflictedPrincipals,
  type Delegation,
  hasHiddenStep,
  type Principal,
  planCapability,
  roles,
  toOpenQuestion,
  voteEligibility,
} from "@paraph/core";
import type { CapabilityLookup } from "./find-contract.ts";
import type { FieldVisibility } from "./mask-payloads.ts";

/** The lookups with which `resolveFieldVisibility` finds the call's steps and the rights of the reader. */
export interface VisibilityDeps extends CapabilityLookup {
  findCall(reader: Principal, call: string): Promise<Call | undefined>;
  readonly approver: { listDelegationsTo(reader: Principal): Promise<readonly Delegation[]> };
}

/**
 * [P13] Resolves what a reader may see of steps with the visibility `approvers`. The requester and the people whose
 * vote would count see the details of such a step. [TRUST 6] If no approval was requested, auditors see the details.
 * Otherwise a requester could hide its actions from everyone.
 */
export async function resolveFieldVisibility(
  reader: Principal,
  call: Call,
  service: VisibilityDeps,
): Promise<FieldVisibility> {
  const contractOf = (capability: string) => service.findCapability(call.tenant, capability)?.contract;
  const lineage = await loadLineage(reader, call, service);
  const within = lineage.some((one, index) => isHiddenStep(one, lineage[index + 1]));
  const discreet = within || (isPlan(call) && hasHiddenStep(call.payloads.input?.value ?? null));
  if (!discreet || conflictedPrincipals(call.principal).includes(reader.id))
    return { findContract: contractOf, canSeeDetails: true, isHidden: false };
  const absent = reader.kind === "person" ? await service.approver.listDelegationsTo(reader) : [];
  const wasAsked = lineage.some(({ approval }) => approval !== undefined);
  const details = wasAsked ? lineage.some((one) => canVoteOn(reader, absent, one)) : isAuditor(reader);
  return { findContract: contractOf, canSeeDetails: details, isHidden: within && !details };
}

/** Returns the call, its parent, the parent's parent, and so on. */
async function loadLineage(
  reader: Principal,
  call: Call,
  { findCall }: VisibilityDeps,
): Promise<readonly Call[]> {
  const lineage: Call[] = [];
  for (let here: Call | undefined = call; here; ) {
    lineage.push(here);
    here = here.parent && (await findCall(reader, here.parent.call));
  }
  return lineage;
}

function isHiddenStep({ parent }: Call, above: Call | undefined): boolean {
  if (!parent || !above || !isPlan(above)) return false;
  const { steps = [] } = (above.payloads.input?.value ?? {}) as {
    readonly steps?: readonly { readonly id?: string; readonly visibility?: string }[];
  };
  return steps.some(({ id, visibility }) => id === parent.step && visibility === "approvers");
}

function canVoteOn(reader: Principal, absent: readonly Delegation[], call: Call): boolean {
  if (reader.kind !== "person" || !call.approval) return false;
  // An editor may not approve the call, but may still see the details that their groups may see. The argument `true`
  // therefore makes `voteEligibility` ignore edits and check the groups.
  return (
    voteEligibility(reader, absent, toOpenQuestion(call, call.approval), true).ineligibleReason !==
    "not-in-group"
  );
}

function isAuditor({ groups = [] }: Principal): boolean {
  return groups.includes(roles.auditors);
}

function isPlan({ capability }: Call): boolean {
  return capability === planCapability;
}
