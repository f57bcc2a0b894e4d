import type { Call } from "../../call.ts";
import { callInput } from "../../call.ts";
import type { Capability } from "../../capability/capability.ts";
import { adapterName } from "../../capability/contract.ts";
import { listEditors } from "../../editors.ts";
import { adminAdapter } from "../../freeze.ts";
import type { Json } from "../../json.ts";
import { ParaphError } from "../../paraph-error.ts";
import { listUsedCapabilities } from "../../plan/used-capabilities.ts";
import { fillValues } from "../../plan/value-references.ts";
import type { CheckResult } from "../../policy/check.ts";
import { conflictedPrincipals } from "../../policy/evidence.ts";
import type { Guard } from "../../policy/policy.ts";
import { buildCallerGuards } from "../../policy/requirements.ts";
import type { Ports } from "../../ports.ts";
import { type Principal, roles } from "../../principal.ts";
import { withCallCommitment } from "../../receipts/call-commitment.ts";
import { sameJson } from "../../receipts/digest.ts";
import { draftSteps, previewCall } from "../ruling/preview-steps.ts";
import { rulePlan } from "../ruling/rule-plan.ts";
import { type Evaluated, type Ruled, toEvaluated } from "./evaluate.ts";

/**
 * [TRUST 14] Rejects an edit that changes a capability or adds a step to a plan. An edit changes only arguments, and
 * everything else needs a request of its own.
 */
export function requireSameCapabilities(
  before: Call,
  after: Call,
  capability: Capability,
  ports: Ports,
): void {
  const { tenant } = before;
  const earlier = listSteps({ tenant, capability, input: callInput(before) }, ports);
  for (const [path, step] of listSteps({ tenant, capability, input: callInput(after) }, ports)) {
    const known = earlier.get(path);
    if (known === undefined)
      throw editRefusedError(`The edit adds the step \`${path}\`. Request that step as a separate call.`);
    if (known.capability !== step.capability)
      throw editRefusedError(
        `The edit changes the capability of step \`${path}\`. Request that capability as a separate call.`,
      );
    // Rejects a changed input of an opaque step. The steps inside it become known only after the approval, so Paraph
    // cannot compare them.
    if (step.isOpaque && !sameJson(known.input, step.input))
      throw editRefusedError(
        `You cannot edit the plan in step \`${path}\`, because its steps are known only after the approval.`,
      );
  }
}

interface NamedStep {
  readonly capability: string;
  readonly input: Json;
  readonly isOpaque: boolean;
}

/** Returns every step by its path, including the steps of nested plans. */
function listSteps(
  { tenant, capability, input }: { tenant: string; capability: Capability; input: Json },
  ports: Ports,
  above = "",
): Map<string, NamedStep> {
  const found = new Map<string, NamedStep>();
  for (const step of capability.steps?.(input) ?? []) {
    const path = `${above}${step.id}`;
    const own = ports.catalog.find(tenant, step.capability);
    const filled = fillValues(step.input, () => undefined);
    const inner = own?.steps && "input" in filled ? own.parseInput(filled.input) : undefined;
    const isOpaque = own?.steps !== undefined && inner?.kind !== "valid";
    found.set(path, { capability: step.capability, input: step.input, isOpaque });
    if (own && inner?.kind === "valid")
      for (const [name, one] of listSteps({ tenant, capability: own, input: inner.value }, ports, `${path}/`))
        found.set(name, one);
  }
  return found;
}

/**
 * Rejects an edit of a call of administration unless the editor is an administrator. Policy cannot change this rule,
 * and the rule also applies in observe mode.
 */
export function requireAdministrator({ capability, payloads }: Call, { groups = [] }: Principal): void {
  const used = listUsedCapabilities(capability, payloads.input?.value) ?? [];
  if (!used.some((name) => name.startsWith(`${adminAdapter}.`)) || groups.includes(roles.admins)) return;
  throw editRefusedError(`Only a person in the group \`${roles.admins}\` can edit administrative calls.`);
}

/**
 * [TRUST 14] Rejects an edit of a call of administration that its capability would not preview for the editor. These
 * capabilities check their requester at the preview: people enrol a passkey only for themselves, and only one group
 * breaks the glass. A fault that the requester gets too has another reason, such as a step that is not done yet.
 */
export async function requireOwnRequest(
  next: Call,
  capability: Capability,
  editor: Principal,
  ports: Ports,
): Promise<void> {
  for (const { call, capability: own } of listAdministration(next, capability, ports)) {
    if (!call)
      throw editRefusedError(
        "You cannot edit the plan, because the input of an administrative step is known only after the approval.",
      );
    const preview = (principal: Principal) =>
      previewCall({ ...call, principal }, own, own.contract.timeoutMs, ports);
    const wanted = await preview(editor);
    if (wanted.kind !== "fault") continue;
    const given = await preview(call.principal);
    if (given.kind !== "fault" || given.fault.code !== wanted.fault.code)
      throw editRefusedError(`You could not request the edited call yourself. ${wanted.fault.message}`);
  }
}

/** Returns every call of administration among the call and its steps. A call is undefined if its input is not known. */
function listAdministration(
  call: Call | undefined,
  capability: Capability,
  ports: Ports,
): readonly { readonly call: Call | undefined; readonly capability: Capability }[] {
  if (adapterName(capability.contract) === adminAdapter) return [{ call, capability }];
  if (!call) return [];
  return draftSteps(call, capability, ports).flatMap((step) =>
    listAdministration(step.call, step.capability, ports),
  );
}

/**
 * Adds policy's requirements for the editor to those for the requester. The editor is the author of the new input, so
 * policy must also let the editor request it. Grants of the editor do not count, because the successor would not spend
 * them.
 */
export async function applyEditorPolicy(
  next: Call,
  capability: Capability,
  considered: Ruled,
  editor: Principal,
  ports: Ports,
): Promise<{ readonly next: Call; readonly considered: Evaluated }> {
  const { preview } = considered;
  const own = { ...next, principal: editor, requirements: [] };
  const checks: CheckResult[] = [];
  for (;;) {
    const seen = { preview, checks, withoutGrants: true };
    const { ruling } = await rulePlan(own, capability, seen, ports);
    if (ruling.kind === "check") {
      checks.push(...ruling.checks.map((check) => ({ check, passed: true, findings: [] })));
      continue;
    }
    if (ruling.kind === "block")
      throw editRefusedError(
        `Policy does not allow you to request the edited call. Reason: ${ruling.sentence}`,
      );
    const asked = considered.ruledCall.ruling.kind === "ask" ? considered.ruledCall.ruling.guards : [];
    const demanded = [
      ...(ruling.kind === "ask" ? ruling.guards : []),
      ...editorCheckGuards(checks.map(({ check }) => check)),
    ].filter(({ id }) => !asked.some((guard) => guard.id === id));
    const added = demanded.filter((guard) => !next.requirements.some((one) => isSame(one, guard)));
    if (added.length === 0) return { next, considered };
    const call = withCallCommitment(
      { ...next, requirements: [...next.requirements, ...added] },
      ports.sealer,
    );
    return {
      next: call,
      considered: toEvaluated(await rulePlan(call, capability, { preview }, ports), preview),
    };
  }
}

function editorCheckGuards(checks: readonly string[]): readonly Guard[] {
  return buildCallerGuards({ checks }).map((guard) => ({
    ...guard,
    id: "editor:check",
    sentence: "Policy requires these checks for calls by the person who edited this call.",
  }));
}

function isSame(one: Guard, other: Guard): boolean {
  return sameJson(one as unknown as Json, other as unknown as Json);
}

/**
 * Rejects an edit that no person other than the editor could approve. If the edit is rejected, the original question
 * stays open.
 */
export async function requireOtherApprover(next: Call, considered: Evaluated, ports: Ports): Promise<void> {
  if (considered.kind !== "ruled" || considered.ruledCall.ruling.kind !== "ask") return;
  const { tenant, principal } = next;
  const editors = listEditors(next);
  const involved = conflictedPrincipals(principal);
  const hasOther = (except: readonly string[]) => ports.store.hasOtherPerson(tenant, except);
  if (await hasOther([...involved, ...editors])) return;
  // If every person of the tenant is conflicted, the conflicted people may confirm the call. They may not confirm an
  // input that they wrote themselves, unless the tenant has only one person.
  const confirms = !(await hasOther(involved)) && (await hasOther(editors));
  const isAlone = !(await hasOther(editors.slice(-1)));
  if (confirms || isAlone) return;
  throw editRefusedError(
    "No other person could approve your edit. Deny the request, or return it with instructions.",
  );
}

/** Returns the error of a rejected edit. The original question stays open. */
export function editRefusedError(why: string): ParaphError {
  return new ParaphError("edit-refused", `${why} The request is unchanged.`);
}
