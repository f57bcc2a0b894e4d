import { type Call, type CallRef, lastPreview } from "../../call.ts";
import type { Capability, Preview } from "../../capability/capability.ts";
import type { StepOptions } from "../../capability/composite.ts";
import {
  amendAcceptance,
  findLastEditor,
  listEditorGroups,
  listEditors,
  withEditors,
} from "../../editors.ts";
import type { Json } from "../../json.ts";
import type { OutcomeCode } from "../../outcome-codes/outcome-codes.ts";
import { ParaphError, type ParaphErrorCode } from "../../paraph-error.ts";
import { compensationStep } from "../../plan/undo-plan.ts";
import type { Ports } from "../../ports.ts";
import { withCallCommitment } from "../../receipts/call-commitment.ts";
import { digest, sha256Hex } from "../../receipts/digest.ts";
import { findDoubtSince } from "../../restore-doubt.ts";
import type { Store, Wake } from "../../store.ts";
import { isSamePlace, openCall, ParentMovedOn, reuseFirst, toNewCall } from "../admission/admit.ts";
import { applyEditorPolicy } from "../admission/edit-limits.ts";
import { type Evaluated, evaluateCall, toEvaluated } from "../admission/evaluate.ts";
import { inheritApproval, inheritedVotes } from "../approval/inherited-approval.ts";
import { closeCall } from "../close.ts";
import { draftCall, requireCapability } from "../ruling/draft.ts";
import { findShownStep } from "../ruling/preview-steps.ts";
import { rulePlan } from "../ruling/rule-plan.ts";
import { applyTransition, numberEvents } from "../transition.ts";

/** A step that a composite requests. */
export interface StepRequest {
  readonly step: string;
  readonly capability: string;
  readonly input: Json;
  readonly options: StepOptions;
}

export type OpenChildResult =
  /** `known` means that another process opened the step and may be running it. */
  | {
      readonly kind: "opened";
      readonly call: Call;
      readonly known: boolean;
      readonly wakes: readonly Wake[];
    }
  /** Paraph can never open a call for this step. */
  | { readonly kind: "not-made"; readonly code: OutcomeCode | ParaphErrorCode }
  /** The step cannot be opened now, because it is frozen or policy changes too fast. */
  | { readonly kind: "later" }
  /** The parent belongs to another segment now. */
  | { readonly kind: "lost" };

/** The maximum depth of composites within composites. A deeper nesting is a loop rather than a plan. */
const maxDepth = 8;

/**
 * [P13] Opens a step as a governed call of the same principal. The id of the call is derived from the parent and the
 * step.
 */
export async function openChild(
  parent: Call,
  step: StepRequest,
  ports: Ports,
  write: Store["open"],
): Promise<OpenChildResult> {
  const depth = (parent.parent?.depth ?? 0) + 1;
  if (depth > maxDepth) return { kind: "not-made", code: "too-deep" };
  let child: Call;
  try {
    const capability = requireCapability(parent.tenant, step.capability, ports);
    child = draftChild(parent, step, depth, capability, ports);
    if (!child.lockKeys.every((key) => parent.lockKeys.length === 0 || parent.lockKeys.includes(key)))
      return { kind: "not-made", code: "lock-undeclared" };
    // The step takes no locks itself, because the parent holds them for the step. The parent never lets two of its
    // steps use the same key at the same time.
    if (parent.lockKeys.length > 0) child = withCallCommitment({ ...child, lockKeys: [] }, ports.sealer);
    const covered = inheritApproval(parent, child, capability, ports);
    if (covered) child = { ...child, events: [...child.events, ...numberEvents(child, [covered])] };
    const looked = () => evaluateChild(parent, child, capability, ports);
    const evaluated = await looked();
    const held = await applyParentEditor(parent, child, capability, evaluated, ports);
    child = held.next;
    const ruling = reuseFirst(held.considered, looked);
    const admitted = await openCall(child, capability, ruling, false, ports, write);
    return { kind: "opened", ...admitted };
  } catch (error) {
    if (error instanceof ParentMovedOn) return { kind: "lost" };
    if (!(error instanceof ParaphError)) throw error;
    if (error.code === "frozen" || error.code === "policy-unsettled") return { kind: "later" };
    if (error.code === "limit-reached" || error.code === "edit-refused")
      return openRefused(child!, error.code, ports, write);
    return { kind: "not-made", code: error.code };
  }
}

export function childRef(parent: CallRef, step: string): CallRef {
  const hash = sha256Hex(`${parent.call}/${step}`).slice(0, 16);
  // The id keeps the parent's prefix. Lists are ordered by id, and thus by time, so they show the parent and its steps
  // together.
  return { tenant: parent.tenant, call: `${parent.call.slice(0, 15)}${hash}` };
}

export function digestStepRequest({ capability, input }: Pick<StepRequest, "capability" | "input">): string {
  return digest({ capability, input });
}

function draftChild(
  parent: Call,
  stepRequest: StepRequest,
  depth: number,
  capability: Capability,
  ports: Ports,
): Call {
  const { step, input, options } = stepRequest;
  const purpose = options.purpose ?? parent.payloads.purpose?.value;
  const call = draftCall(
    {
      principal: parent.principal,
      capability: stepRequest.capability,
      input,
      key: `${parent.call}/${step}`,
      session: parent.session,
      // [TRUST 34] Records the compensation as the undo of the plan, because the compensation undoes the plan's steps.
      // No other call may undo those steps.
      ...(step === compensationStep && { undoes: parent.call }),
      ...(typeof purpose === "string" && { purpose }),
      ...(parent.trace !== undefined && { trace: parent.trace }),
    },
    capability,
    digestStepRequest(stepRequest),
    ports,
  );
  const place = { call: parent.call, step, depth };
  const doubtSince = findDoubtSince(parent);
  const child: Call = {
    ...amendAcceptance(call, { parent: place, ...(doubtSince !== undefined && { doubtSince }) }),
    ...childRef(parent, step),
    ...(parent.restoredAt !== undefined && { restoredAt: parent.restoredAt }),
    parent: place,
    requirements: [...call.requirements, ...(options.requirements ?? [])],
  };
  // Adds the composite's editors to the step, because they do not count towards the approval of any of its steps.
  return withCallCommitment(withEditors(child, listEditors(parent), listEditorGroups(parent)), ports.sealer);
}

/**
 * [TRUST 28] Applies the policy for the parent's editor to a step. When the composite was edited, policy ruled on the
 * editor only for the steps that were known then.
 */
async function applyParentEditor(
  parent: Call,
  child: Call,
  capability: Capability,
  considered: Evaluated,
  ports: Ports,
): Promise<{ readonly next: Call; readonly considered: Evaluated }> {
  const editor = findLastEditor(parent);
  const wasKnown = findShownStep(lastPreview(parent), child.parent?.step ?? "")?.inputKnown;
  return !editor || wasKnown || considered.kind !== "ruled"
    ? { next: child, considered }
    : applyEditorPolicy(child, capability, considered, editor, ports);
}

/** Rules on the step as approvers saw it. Paraph previews it again before its intent. */
async function evaluateChild(
  parent: Call,
  child: Call,
  capability: Capability,
  ports: Ports,
): Promise<Evaluated> {
  const step = findShownStep(lastPreview(parent), child.parent?.step ?? "");
  const stands =
    step?.inputKnown && step.dependsOn.length === 0 && step.version === capability.contract.version;
  if (!stands || (!step.previewed && capability.contract.previews)) {
    const votes = (preview: Preview | undefined) => inheritedVotes(child, capability, preview, ports);
    return evaluateCall(child, capability, capability.contract.timeoutMs, ports, votes);
  }
  const { preview } = step;
  const votes = inheritedVotes(child, capability, preview, ports);
  return toEvaluated(await rulePlan(child, capability, { preview, votes }, ports), preview);
}

/** Opens the refused step as a closed call, so that the composite finds the same result whenever it runs again. */
async function openRefused(
  child: Call,
  code: OutcomeCode,
  ports: Ports,
  write: Store["open"],
): Promise<OpenChildResult> {
  const move = await closeCall(child, { outcome: { kind: "refused", code } }, ports);
  const opened = await write(toNewCall(child, move));
  if (opened.kind === "lost") return opened;
  if (opened.kind === "undone") return { kind: "not-made", code: "already-undone" };
  if (opened.kind === "exists" && !isSamePlace(opened.call, child))
    return { kind: "not-made", code: "key-reused" };
  if (opened.kind === "opened") ports.links.opened(child);
  const call = opened.kind === "exists" ? opened.call : applyTransition(child, move, 1);
  return { kind: "opened", call, known: opened.kind === "exists", wakes: [] };
}
