import type { Approval, Call, Checked, Contract, Json, Preview, Principal } from "@paraph/core";
import type { ApprovalPage, History, Standing } from "../pages/view.ts";
import type { Seen } from "./form-proof.ts";
import { shownTo } from "./mask.ts";

/** What the page of a round is made from, beside the call itself. */
export interface Looking {
  readonly reader: Principal;
  readonly contract: Contract | undefined;
  readonly standing: Exclude<Standing, "not-in-group">;
  readonly history: History;
  readonly now: number;
  readonly opened: boolean;
  /** Undefined: sensitive fields are not on offer. `done`: this reader has asked for them, and that is recorded. */
  readonly reveal?: "offered" | "done";
  readonly prove: (seen: Seen) => string;
}

/** The page of a call's newest round, as this reader may see it. */
export function approvalPage(call: Call, round: Approval, looking: Looking): ApprovalPage {
  const { reader, contract, history, now, opened, prove } = looking;
  // Once revealed, it is seen as by who asked.
  const { payloads, masked } = shownTo(looking.reveal === "done" ? call.principal : reader, call, contract);
  const { id, kind, owner, onBehalfOf } = call.principal;
  const standing = standingOf(round, looking);
  const isOpen = round.status === "open" && call.state === "asking" && round.expiresAt > now;
  const yesWanted = isOpen && wantsYes(round, reader, standing);
  const mustOpen = yesWanted && isGrave(contract) && !opened;
  return {
    now,
    reader: { id: reader.id, standing },
    approval: round.id,
    call: call.call,
    round: round.round,
    status: round.status,
    digest: round.digest,
    askedAt: call.events.findLast(({ kind }) => kind === "asked")?.at ?? call.createdAt,
    expiresAt: round.expiresAt,
    capability: call.capability,
    ...(contract && { contract }),
    asker: {
      id,
      kind,
      ...(owner !== undefined && { owner }),
      ...(onBehalfOf !== undefined && { onBehalfOf }),
    },
    ...(payloads.input !== undefined && { input: payloads.input }),
    preview: previewOf(payloads.preview),
    ...(typeof payloads.purpose === "string" && { purpose: payloads.purpose }),
    guards: round.guards,
    votes: round.votes,
    checks: checksOf(payloads.checks),
    history,
    masked,
    state: call.state,
    ...(call.outcome && { outcome: call.outcome }),
    ...(typeof payloads.reason === "string" && { reason: payloads.reason }),
    opened,
    mustOpen,
    forms: {
      ...(isOpen && standing !== "own-call" && { deny: prove("shown") }),
      ...(yesWanted && !mustOpen && { approve: prove("opened") }),
      ...(looking.reveal === "offered" &&
        masked.length > 0 &&
        isAsked(standing) && { reveal: prove("shown") }),
    },
  };
}

/** [TRUST 6] High risk is opened before it is approved; so is what nobody can tell the risk of any more. */
export function isGrave(contract: Pick<Contract, "risk"> | undefined): boolean {
  return contract === undefined || contract.risk === "high" || contract.risk === "critical";
}

/** Whether any guard would count this person's yes. */
export function counts({ guards }: Pick<Approval, "guards">, { groups = [] }: Principal): boolean {
  return guards.some(({ group }) => group === undefined || groups.includes(group));
}

function standingOf(round: Approval, { standing, reader }: Looking): Standing {
  return standing === "own-call" || counts(round, reader) ? standing : "not-in-group";
}

function wantsYes({ votes }: Approval, { id }: Principal, standing: Standing): boolean {
  return isAsked(standing) && !votes.some(({ by }) => by === id);
}

function isAsked(standing: Standing): boolean {
  return standing === "approver" || standing === "confirmation";
}

/** Masked as a whole, it was still made. */
function previewOf(preview: Json | undefined): ApprovalPage["preview"] {
  if (preview === undefined) return "none";
  return typeof preview === "object" ? (preview as unknown as Preview) : "hidden";
}

function checksOf(checks: Json | undefined): ApprovalPage["checks"] {
  return typeof checks === "object" ? (checks as unknown as Checked).results : [];
}
