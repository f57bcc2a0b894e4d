import type { Call } from "../../call.ts";
import type { Capability } from "../../capability/capability.ts";
import type { Json } from "../../json.ts";
import { ParaphError } from "../../paraph-error.ts";
import type { Ports, Transition, Wake } from "../../ports.ts";
import type { Principal } from "../../principal.ts";
import { withCallCommitment } from "../../receipts/call-commitment.ts";
import { commitment } from "../../receipts/digest.ts";
import { dueAt, toNewCall } from "../admission/admit.ts";
import { draftCall, findUndoneCall, requireCapability } from "../admission/draft.ts";
import { type Evaluated, evaluateCall, transitionAfterRuling } from "../admission/evaluate.ts";
import { closeCall, createPayload } from "../close.ts";
import { requireProven } from "../execution/unproven.ts";
import { applyTransition, createWake } from "../transition.ts";
import { requireOpenRound } from "./decide.ts";
import {
  applyEditorPolicy,
  editRefusedError,
  requireAdministrator,
  requireOtherApprover,
  requireSameCapabilities,
} from "./edit-limits.ts";
import { amendAcceptance, appendEditor, listEditorGroups, listEditors, withEditors } from "./editors.ts";

export interface Edit {
  readonly approval: string;
  readonly editor: Principal;
  /** The digest the editor was shown: an edit is of that and nothing else. */
  readonly digest: string;
  readonly input: Json;
  readonly reason?: string;
}

export interface SuccessorResult {
  /** The call that took the other's place. */
  readonly call: Call;
  readonly superseded: Call;
  readonly wakes: readonly Wake[];
}

/**
 * [P6] An edit is a successor call: admitted as a draft like any other, and only then, in one transaction, the old call
 * ends as superseded and the new one is opened, with the old deadline and nobody's vote. [TRUST 28] The editor is the author
 * of the new input: policy has to let them ask for it too, and they never count towards its approval.
 */
export async function edit(given: Edit, ports: Ports): Promise<SuccessorResult> {
  if (given.editor.kind !== "person")
    throw new ParaphError("approver-not-allowed", "Only a person can edit: use a person's key.");
  for (;;) {
    const call = await ports.store.findByApproval(given.editor.tenant, given.approval);
    if (!call)
      throw new ParaphError(
        "approval-unknown",
        "There is no such approval: `paraph approvals` lists the open ones.",
      );
    await requireProven(call, ports);
    const round = requireOpenRound(call, given);
    const capability = requireCapability(call.tenant, call.capability, ports);
    const reasons = given.reason === undefined ? [] : [createPayload("reason", given.reason, ports)];
    const done = await replaceCall(
      call,
      capability,
      { input: given.input, editor: given.editor, code: "edited", reasons, round: round.id },
      ports,
    );
    if (done) return done;
  }
}

/** Admitted again under the contract that is in force now: what was approved was another. */
export async function readmitCall(
  call: Call,
  capability: Capability,
  ports: Ports,
): Promise<SuccessorResult | undefined> {
  const { approval } = call;
  const stands = approval?.status === "open" || approval?.status === "approved";
  return replaceCall(
    call,
    capability,
    {
      input: call.payloads.input?.value ?? null,
      code: "contract-changed",
      reasons: [],
      ...(stands && { round: approval.id }),
    },
    ports,
  );
}

interface InputChange {
  readonly input: Json;
  /** Nobody where only the contract changed. */
  readonly editor?: Principal;
  readonly code: "edited" | "contract-changed";
  readonly reasons: NonNullable<Transition["payloads"]>;
  /** The round that nobody can answer any more. */
  readonly round?: string;
}

/** Undefined: somebody was faster, and what stands now has to be looked at. */
async function replaceCall(
  call: Call,
  capability: Capability,
  change: InputChange,
  ports: Ports,
): Promise<SuccessorResult | undefined> {
  const { next, considered } = await admitSuccessor(call, capability, change, ports);
  const move = await transitionAfterRuling(next, capability, considered, false, ports);
  const end = await closeSuperseded(call, next, change, ports);
  const { tenant, call: id, epoch } = call;
  const committed = await ports.store.supersede({ tenant, call: id, epoch, ...end }, toNewCall(next, move));
  switch (committed.kind) {
    case "done": {
      ports.links.opened(next);
      const opened = applyTransition(next, move, 1);
      const own = opened.state === "closed" ? [] : [createWake(opened, dueAt(opened))];
      return {
        call: opened,
        superseded: applyTransition(call, end, committed.epoch),
        wakes: [...committed.wake, ...own],
      };
    }
    case "untimely":
      throw new ParaphError("approval-closed", "This approval has expired: the edit changes nothing.");
    case "stopped":
      if (committed.stop.reason === "policy-changed") await ports.policy.refresh(tenant);
      else if (committed.stop.reason !== "grant-spent")
        throw new ParaphError(
          committed.stop.reason,
          "Nothing of it is accepted at the moment: try again later.",
        );
      return undefined;
    case "lost":
      return undefined;
  }
}

/** The successor as it is asked about, within the limits of an edit where it is one. */
async function admitSuccessor(
  call: Call,
  capability: Capability,
  change: InputChange,
  ports: Ports,
): Promise<{ readonly next: Call; readonly considered: Evaluated }> {
  const next = draftSuccessor(call, capability, change, ports);
  const { editor } = change;
  if (editor) {
    requireSameCapabilities(call, next, capability, ports);
    requireAdministrator(next, editor);
  }
  const considered = await evaluateCall(next, capability, capability.contract.timeoutMs, ports);
  if (!editor) return { next, considered };
  if (considered.kind !== "ruled") throw editRejectedError(considered);
  const held = await applyEditorPolicy(next, capability, considered, editor, ports);
  if (held.considered.kind !== "ruled") throw editRejectedError(held.considered);
  await requireOtherApprover(held.next, held.considered, ports);
  return held;
}

/** The same request by the same principal, with another input or under another contract. */
function draftSuccessor(
  call: Call,
  capability: Capability,
  { input, editor }: InputChange,
  ports: Ports,
): Call {
  const purpose = call.payloads.purpose?.value;
  const undoes = findUndoneCall(call);
  const drafted = draftCall(
    {
      principal: call.principal,
      capability: capability.contract.name,
      input,
      session: call.session,
      ...(typeof purpose === "string" && { purpose }),
      ...(undoes !== undefined && { undoes }),
      ...(call.trace !== undefined && { trace: call.trace }),
    },
    capability,
    call.requestDigest,
    ports,
  );
  const inherited = {
    supersedes: call.call,
    ...(call.deadline !== undefined && { deadline: call.deadline }),
    ...(call.parent && { parent: { ...call.parent } }),
  };
  const next: Call = {
    ...amendAcceptance(drafted, inherited),
    ...inherited,
    requirements: call.requirements,
  };
  // Editors before this one are kept: what they wrote may be part of it still.
  const editors = listEditors(call);
  return withCallCommitment(
    editor
      ? withEditors(next, appendEditor(editors, editor.id), editor.groups ?? [])
      : withEditors(next, editors, listEditorGroups(call)),
    ports.sealer,
  );
}

async function closeSuperseded(
  call: Call,
  next: Call,
  change: InputChange,
  ports: Ports,
): Promise<Transition> {
  const { code, editor, reasons, round } = change;
  const at = ports.clock.now();
  const closing = round !== undefined && call.approval;
  return closeCall(
    call,
    {
      outcome: { kind: "superseded", code },
      events: closing
        ? [{ kind: "round-closed", at, data: { round: closing.round, status: "void", code } }]
        : [],
      payloads: reasons,
      about: {
        successor: next.call,
        ...(editor && { editedBy: editor.id }),
        ...Object.fromEntries(reasons.map(({ name, salt, value }) => [name, commitment(salt, value)])),
      },
      ...(round !== undefined && { closeRound: { approval: round, status: "void" } }),
    },
    ports,
  );
}

/** An edit that policy would not let pass is not made. */
function editRejectedError(considered: Exclude<Evaluated, { kind: "ruled" }>): ParaphError {
  return considered.kind === "unpreviewed"
    ? editRefusedError("Its preview failed, so nobody could see what it would change.")
    : editRefusedError(`Policy does not let this pass: ${considered.judged.ruling.sentence}`);
}
