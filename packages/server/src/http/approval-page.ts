import {
  type Absent,
  type Approval,
  answerGuard,
  type Call,
  type Checked,
  type Contract,
  type Json,
  type Preview,
  type Principal,
  questionOf,
  voiceOf,
} from "@paraph/core";
import type { ApprovalPage, History, PageMessage, Standing, Wanted } from "../pages/view.ts";
import type { Seen } from "./form-proof.ts";
import { shownTo } from "./mask.ts";

/** What the page of a round is made from, beside the call itself. */
export interface Looking {
  readonly reader: Principal;
  readonly contract: Contract | undefined;
  readonly standing: Exclude<Standing, "not-in-group" | "own-edit">;
  /** Whom the reader stands in for. */
  readonly absent: readonly Absent[];
  readonly history: History;
  readonly now: number;
  readonly opened: boolean;
  /** This reader has asked for the sensitive fields, and that is recorded. */
  readonly revealed: boolean;
  readonly thread: readonly PageMessage[];
  /** What the round before was shown. */
  readonly earlier?: Preview;
  readonly successor?: ApprovalPage["successor"];
  readonly prove: (seen: Seen) => string;
}

/** The page of a call's newest round, as this reader may see it. */
export function approvalPage(call: Call, round: Approval, looking: Looking): ApprovalPage {
  const { reader, contract, history, now, opened, prove } = looking;
  // Once revealed, it is seen as by who asked.
  const { payloads, masked } = shownTo(looking.revealed ? call.principal : reader, call, contract);
  const { id, kind, owner, onBehalfOf } = call.principal;
  const standing = standingOf(call, round, looking);
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
    thread: looking.thread,
    ...(round.round > 1 && earlierOf(call, looking)),
    ...(call.editedBy !== undefined && { editedBy: call.editedBy }),
    ...(looking.successor && { successor: looking.successor }),
    ...(round.guards.some(({ id }) => id === answerGuard.id) && { wanted: wantedOf(payloads.input) }),
    forms: {
      ...(isOpen && { say: prove("shown") }),
      ...(isOpen && standing !== "own-call" && { deny: prove("shown") }),
      ...(yesWanted && !mustOpen && { approve: prove("opened") }),
      ...(isOpen && masked.length > 0 && isAsked(standing) && { reveal: prove("shown") }),
    },
  };
}

/** [TRUST 6] High risk is opened before it is approved; so is what nobody can tell the risk of any more. */
export function isGrave(contract: Pick<Contract, "risk"> | undefined): boolean {
  return contract === undefined || contract.risk === "high" || contract.risk === "critical";
}

function standingOf(call: Call, round: Approval, { standing, reader, absent }: Looking): Standing {
  if (standing === "own-call") return standing;
  return voiceOf(reader, absent, questionOf(call, round)).unheard ?? standing;
}

function wantsYes({ votes }: Approval, { id }: Principal, standing: Standing): boolean {
  return isAsked(standing) && !votes.some(({ by }) => by === id);
}

function isAsked(standing: Standing): boolean {
  return standing === "approver" || standing === "confirmation";
}

/** The earlier preview as this reader may see it. */
function earlierOf(
  call: Call,
  { reader, contract, earlier, revealed }: Looking,
): Pick<ApprovalPage, "earlier"> {
  if (!earlier) return {};
  const preview = { salt: "", value: earlier as unknown as Json };
  const then = { ...call, payloads: { ...call.payloads, preview } };
  const shown = previewOf(shownTo(revealed ? call.principal : reader, then, contract).payloads.preview);
  return typeof shown === "object" ? { earlier: shown } : {};
}

/** How the answer is asked for, where the input says so as `human.ask` does. */
export function wantedOf(input: Json | undefined): Wanted {
  const given = typeof input === "object" && input !== null && !Array.isArray(input) ? input : {};
  const { question, kind, options } = given as { readonly [name: string]: Json };
  const asked = typeof question === "string" ? { question } : {};
  if (kind === "choice" && Array.isArray(options)) return { kind, options: options.map(String), ...asked };
  return kind === "confirm" || kind === "text" ? { kind, ...asked } : { kind: "json", ...asked };
}

/** Masked as a whole, it was still made. */
function previewOf(preview: Json | undefined): ApprovalPage["preview"] {
  if (preview === undefined) return "none";
  return typeof preview === "object" ? (preview as unknown as Preview) : "hidden";
}

function checksOf(checks: Json | undefined): ApprovalPage["checks"] {
  return typeof checks === "object" ? (checks as unknown as Checked).results : [];
}
