import { type Call, findUndoneCall } from "../../call.ts";
import type { Capability } from "../../capability/capability.ts";
import { amendAcceptance, appendEditor, listEditorGroups, listEditors, withEditors } from "../../editors.ts";
import type { IntentRecord } from "../../intents/intent-record.ts";
import type { Json } from "../../json.ts";
import { ParaphError } from "../../paraph-error.ts";
import type { Ports } from "../../ports.ts";
import type { Principal } from "../../principal.ts";
import { withCallCommitment } from "../../receipts/call-commitment.ts";
import { commitment } from "../../receipts/digest.ts";
import { isInDoubt } from "../../restore-doubt.ts";
import type { Transition, Wake } from "../../store.ts";
import { requireOpenRound } from "../approval/decide.ts";
import { closeCall, createPayload } from "../close.ts";
import { newContentPayloads } from "../content-payloads.ts";
import { draftCall, requireCapability } from "../ruling/draft.ts";
import { applyTransition, createWake } from "../transition.ts";
import { requireProven } from "../unproven.ts";
import { dueAt, toNewCall, toRejectionError } from "./admit.ts";
import {
  applyEditorPolicy,
  editRefusedError,
  requireAdministrator,
  requireOtherApprover,
  requireOwnRequest,
  requireSameCapabilities,
} from "./edit-limits.ts";
import { type Evaluated, evaluateCall, type Ruled, transitionAfterRuling } from "./evaluate.ts";

/** A person's edit of a waiting call. */
export interface Edit {
  readonly approval: string;
  readonly editor: Principal;
  /** The digest that the editor saw. The edit applies to this digest only. */
  readonly digest: string;
  readonly input: Json;
  readonly reason?: string;
}

/** The result of replacing a call by a successor. */
export interface SuccessorResult {
  /** The successor, which replaced the earlier call. */
  readonly call: Call;
  readonly superseded: Call;
  readonly wakes: readonly Wake[];
}

/**
 * [P6] Replaces a waiting call with an edited successor. Paraph first evaluates the successor as a draft. One
 * transaction then closes the old call as superseded and opens the new one, with the old deadline and without votes.
 * [TRUST 28] The editor is the author of the new input. Policy must also let the editor request it, and the editor
 * never counts towards its approval.
 */
export async function edit(given: Edit, ports: Ports): Promise<SuccessorResult> {
  for (;;) {
    const { call, round, capability } = await loadEditable(given, ports);
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

/** An edit that was not made: the draft of its call, with its preview and headline, and how policy rules on it. */
export interface EditDraft {
  readonly call: Call;
  readonly considered: Ruled;
}

/**
 * [P3] Returns what an edit would change and how policy would rule on it, within the limits of an edit. It writes nothing
 * and asks no person.
 */
export async function draftEdit(given: Omit<Edit, "reason">, ports: Ports): Promise<EditDraft> {
  const { call, capability } = await loadEditable(given, ports);
  const frozen = await ports.freezes.inForce(call.principal, capability.contract);
  if (frozen) throw toRejectionError({ reason: "frozen", freeze: frozen });
  // Loads the policy set that is in force now. This function writes nothing, so no transaction would detect an outdated
  // policy set.
  await ports.policy.refresh(call.tenant);
  const change = { input: given.input, editor: given.editor, code: "edited", reasons: [] } as const;
  const { next, considered } = await admitSuccessor(call, capability, change, ports);
  if (considered.kind !== "ruled") throw editRejectedError(considered);
  const content = newContentPayloads(next, capability, considered.preview, ports);
  const payloads = Object.fromEntries(content.map(({ name, salt, value }) => [name, { salt, value }]));
  return { call: { ...next, payloads: { ...next.payloads, ...payloads } }, considered };
}

/** Returns the call that a person edits. Throws if this person may not edit it now. */
async function loadEditable(given: Omit<Edit, "reason" | "input">, ports: Ports) {
  if (given.editor.kind !== "person")
    throw new ParaphError(
      "approver-not-allowed",
      "Only a person can edit a request. Use a person's API key.",
    );
  const call = await ports.store.findByApproval(given.editor.tenant, given.approval);
  if (!call)
    throw new ParaphError(
      "approval-unknown",
      "There is no such approval. `paraph approvals` lists open approvals.",
    );
  await requireProven(call, ports);
  const round = requireOpenRound(call, given);
  const capability = requireCapability(call.tenant, call.capability, ports);
  if (isInDoubt(call, capability.contract))
    throw editRefusedError(
      "The database was restored after this call was accepted, so the call may already have acted. Deny or withdraw it, resolve its outcome, then request the edited call.",
    );
  return { call, round, capability };
}

/**
 * Replaces a call whose contract changed with a successor under the current contract. Earlier approvals do not carry
 * over, because people approved the old contract.
 */
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
  /** The person who edited the call. Undefined if only the contract changed. */
  readonly editor?: Principal;
  readonly code: "edited" | "contract-changed";
  readonly reasons: NonNullable<Transition["payloads"]>;
  /** The round that the replacement closes. */
  readonly round?: string;
}

/**
 * Replaces a call with its successor. Returns undefined if another transition came first. The caller must then read the
 * call again.
 */
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
      throw new ParaphError(
        "approval-closed",
        "This approval has expired, so nothing was changed. The requester has to request the call again.",
      );
    case "stopped":
      if (committed.stop.reason === "policy-changed") await ports.policy.refresh(tenant);
      else if (committed.stop.reason !== "grant-spent")
        throw new ParaphError(
          committed.stop.reason,
          "A freeze or a limit blocks the edited call. Try again when the freeze or the limit has ended.",
        );
      return undefined;
    case "lost":
      return undefined;
  }
}

/** Evaluates the successor, and applies the limits of an edit if a person edited it. */
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
  await requireOwnRequest(next, capability, editor, ports);
  await requireOtherApprover(held.next, held.considered, ports);
  return held;
}

/**
 * Drafts the successor of a call. The successor repeats the request of the same principal, with another input or under
 * another contract.
 */
function draftSuccessor(
  call: Call,
  capability: Capability,
  { input, editor }: InputChange,
  ports: Ports,
): Call {
  const purpose = call.payloads.purpose?.value;
  const compressedState = call.payloads.compressedState?.value;
  const words = call.payloads.words?.value as unknown as IntentRecord | undefined;
  const undoes = findUndoneCall(call);
  const drafted = draftCall(
    {
      principal: call.principal,
      capability: capability.contract.name,
      input,
      session: call.session,
      ...(typeof purpose === "string" && { purpose }),
      ...(typeof compressedState === "string" && { compressedState }),
      ...(words && { words }),
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
  // Earlier editors stay on the list, because the input may still contain what they wrote.
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

/** Returns the error for an edit that policy blocks or that cannot be previewed. */
function editRejectedError(considered: Exclude<Evaluated, { kind: "ruled" }>): ParaphError {
  return considered.kind === "unpreviewed"
    ? editRefusedError(
        "The preview of the edited call failed, so approvers could not see its changes. Check the edited input, then try again.",
      )
    : editRefusedError(
        `Policy does not allow the edited call. Reason: ${considered.ruledCall.ruling.sentence}`,
      );
}
