import type { Call } from "../call.ts";
import type { Capability } from "../capability.ts";
import { commitment } from "../digest.ts";
import { editorGroupsOf, editorsOf, withEditor, withEditors } from "../editors.ts";
import { withFacts } from "../facts.ts";
import type { Json, JsonObject } from "../json.ts";
import { ParaphError } from "../paraph-error.ts";
import type { Move, Ports, Wake } from "../ports.ts";
import type { Principal } from "../principal.ts";
import { dueAt, openingOf } from "./admit.ts";
import { openRound } from "./decide.ts";
import { draft, known, undoneBy } from "./draft.ts";
import {
  demandAdministrator,
  demandOtherApprover,
  demandSameCapabilities,
  heldToEditor,
  refused,
} from "./edit-limits.ts";
import { ending, payload } from "./ending.ts";
import { type Considered, consider, firstMove } from "./first-move.ts";
import { after, wake } from "./move.ts";
import { demandProven } from "./unproven.ts";

export interface Edit {
  readonly approval: string;
  readonly editor: Principal;
  /** The digest the editor was shown: an edit is of that and nothing else. */
  readonly digest: string;
  readonly input: Json;
  readonly reason?: string;
}

export interface Succeeded {
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
export async function edit(given: Edit, ports: Ports): Promise<Succeeded> {
  if (given.editor.kind !== "person")
    throw new ParaphError("approver-not-allowed", "Only a person can edit: use a person's key.");
  for (;;) {
    const call = await ports.store.findByApproval(given.editor.tenant, given.approval);
    if (!call)
      throw new ParaphError(
        "approval-unknown",
        "There is no such approval: `paraph approvals` lists the open ones.",
      );
    await demandProven(call, ports);
    const round = openRound(call, given);
    const capability = known(call.tenant, call.capability, ports);
    const reasons = given.reason === undefined ? [] : [payload("reason", given.reason, ports)];
    const done = await succeed(
      call,
      capability,
      { input: given.input, editor: given.editor, code: "edited", reasons, round: round.id },
      ports,
    );
    if (done) return done;
  }
}

/** Admitted again under the contract that is in force now: what was approved was another. */
export async function readmit(
  call: Call,
  capability: Capability,
  ports: Ports,
): Promise<Succeeded | undefined> {
  const { approval } = call;
  const stands = approval?.status === "open" || approval?.status === "approved";
  return succeed(
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

interface Change {
  readonly input: Json;
  /** Nobody where only the contract changed. */
  readonly editor?: Principal;
  readonly code: "edited" | "contract-changed";
  readonly reasons: NonNullable<Move["payloads"]>;
  /** The round that nobody can answer any more. */
  readonly round?: string;
}

/** Undefined: somebody was faster, and what stands now has to be looked at. */
async function succeed(
  call: Call,
  capability: Capability,
  change: Change,
  ports: Ports,
): Promise<Succeeded | undefined> {
  const { next, considered } = await admitted(call, capability, change, ports);
  const move = await firstMove(next, capability, considered, false, ports);
  const end = await superseding(call, next, change, ports);
  const { tenant, call: id, epoch } = call;
  const committed = await ports.store.supersede({ tenant, call: id, epoch, ...end }, openingOf(next, move));
  switch (committed.kind) {
    case "done": {
      ports.links.opened(next);
      const opened = after(next, move, 1);
      const own = opened.state === "closed" ? [] : [wake(opened, dueAt(opened))];
      return {
        call: opened,
        superseded: after(call, end, committed.epoch),
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
async function admitted(
  call: Call,
  capability: Capability,
  change: Change,
  ports: Ports,
): Promise<{ readonly next: Call; readonly considered: Considered }> {
  const next = successor(call, capability, change, ports);
  const { editor } = change;
  if (editor) {
    demandSameCapabilities(call, next, capability, ports);
    demandAdministrator(next, editor);
  }
  const considered = await consider(next, capability, capability.contract.timeoutMs, ports);
  if (!editor) return { next, considered };
  if (considered.kind !== "ruled") throw refusal(considered);
  const held = await heldToEditor(next, capability, considered, editor, ports);
  if (held.considered.kind !== "ruled") throw refusal(held.considered);
  await demandOtherApprover(held.next, held.considered, ports);
  return held;
}

/** The same request by the same principal, with another input or under another contract. */
function successor(call: Call, capability: Capability, { input, editor }: Change, ports: Ports): Call {
  const purpose = call.payloads.purpose?.value;
  const undoes = undoneBy(call);
  const drafted = draft(
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
    ...drafted,
    ...inherited,
    requirements: call.requirements,
    events: drafted.events.map((event) => ({
      ...event,
      data: { ...event.data, ...(inherited as JsonObject) },
    })),
  };
  // Editors before this one are kept: what they wrote may be part of it still.
  const editors = editorsOf(call);
  return withFacts(
    editor
      ? withEditors(next, withEditor(editors, editor.id), editor.groups ?? [])
      : withEditors(next, editors, editorGroupsOf(call)),
    ports.sealer,
  );
}

async function superseding(call: Call, next: Call, change: Change, ports: Ports): Promise<Move> {
  const { code, editor, reasons, round } = change;
  const at = ports.clock.now();
  const closing = round !== undefined && call.approval;
  return ending(
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
function refusal(considered: Exclude<Considered, { kind: "ruled" }>): ParaphError {
  return considered.kind === "unpreviewed"
    ? refused("Its preview failed, so nobody could see what it would change.")
    : refused(`Policy does not let this pass: ${considered.judged.ruling.sentence}`);
}
