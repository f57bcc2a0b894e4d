import {
  type Approval,
  answerGuard,
  type Call,
  type Contract,
  type Delegation,
  type Json,
  type Preview,
  type Principal,
  lastPreview as shownOf,
  toOpenQuestion,
  voteEligibility,
} from "@paraph/core";
import type { PageDetail } from "../../http/middleware/csrf-token.ts";
import { readChecks } from "../../http/views/call-view.ts";
import { type FieldVisibility, maskPayloads, type VisiblePayloads } from "../../http/views/mask-payloads.ts";
import type {
  AnswerRequest,
  ApprovalPage,
  CallPage,
  IneligibleReason,
  PageHistory,
  PageMessage,
  VoterStatus,
} from "./page-types.ts";
import { buildPagePlan, listVotes, type PlanPageInput, raiseToHighestRisk } from "./plan-page.ts";

/** What the page of a round is made from, beside the call itself. */
export interface ApprovalPageInput {
  readonly reader: Principal;
  readonly contract: Contract | undefined;
  readonly voterStatus: Exclude<VoterStatus, IneligibleReason>;
  /** Whom the reader stands in for. */
  readonly delegations: readonly Delegation[];
  readonly isOnlyPerson: boolean;
  readonly history: PageHistory;
  readonly now: number;
  readonly opened: boolean;
  /** This reader has asked for the sensitive fields, and that is recorded. */
  readonly revealed: boolean;
  readonly messages: readonly PageMessage[];
  /** What the round before was shown. */
  readonly earlier?: Preview;
  readonly successor?: ApprovalPage["successor"];
  readonly createCsrfToken: (seen: PageDetail) => string;
  readonly visibility: FieldVisibility;
  readonly notUndone: ApprovalPage["notUndone"];
  /** The calls that it has made, where it is made of steps. */
  readonly steps: PlanPageInput["steps"];
}

/** The page of a call's newest round, as this reader may see it. */
export function buildApprovalPage(call: Call, round: Approval, looking: ApprovalPageInput): ApprovalPage {
  const { reader, history, now, opened, createCsrfToken: prove, visibility: sight, steps } = looking;
  // Once revealed, it is seen as by who asked.
  const shown = maskPayloads(looking.revealed ? call.principal : reader, call, looking.contract, sight);
  const { payloads, masked } = shown;
  const standing = findVoterStatus(call, round, looking);
  const isOpen = round.status === "open" && call.state === "asking" && round.expiresAt > now;
  const yesWanted = isOpen && canApprove(round, reader, standing);
  const editHref = isOpen
    ? (step: string) => `/approvals/${round.id}/edit?${new URLSearchParams({ step })}`
    : undefined;
  const seen = buildCallSummary(call, shown, looking.contract, {
    steps,
    findContract: sight.findContract,
    editHref,
  });
  const { contract } = seen;
  const mustOpen = yesWanted && isHighRisk(contract) && !opened;
  return {
    now,
    reader: { id: reader.id, voterStatus: standing },
    approval: round.id,
    round: round.round,
    status: round.status,
    digest: round.digest,
    askedAt: call.events.findLast(({ kind }) => kind === "asked")?.at ?? call.createdAt,
    expiresAt: round.expiresAt,
    ...seen,
    ...(typeof payloads.purpose === "string" && { purpose: payloads.purpose }),
    guards: round.guards,
    votes: listVotes(call, round),
    checks: readChecks(shown),
    notUndone: looking.notUndone,
    history,
    ...(typeof payloads.reason === "string" && { reason: payloads.reason }),
    opened,
    mustOpen,
    messages: looking.messages,
    ...(round.round > 1 && toEarlierPreview(call, looking)),
    ...(call.editedBy !== undefined && { editedBy: call.editedBy }),
    ...(looking.successor && { successor: looking.successor }),
    ...(round.guards.some(({ id }) => id === answerGuard.id) && {
      answerRequest: toAnswerRequest(payloads.input),
    }),
    forms: {
      ...(isOpen && { say: prove("shown") }),
      ...(isOpen && standing !== "own-call" && { deny: prove("shown") }),
      ...(yesWanted && !mustOpen && { approve: prove("opened") }),
      ...(isOpen && masked.length > 0 && isApprover(standing) && { reveal: prove("shown") }),
    },
  };
}

/** The page of a call that nobody was asked about. */
export function buildCallPage(
  call: Call,
  looking: Pick<ApprovalPageInput, "reader" | "contract" | "visibility" | "steps">,
): CallPage {
  const { reader, contract, visibility, steps } = looking;
  const shown = maskPayloads(reader, call, contract, visibility);
  const parts = { steps, findContract: visibility.findContract, editHref: undefined };
  return { reader: reader.id, createdAt: call.createdAt, ...buildCallSummary(call, shown, contract, parts) };
}

/** What it is about, who asks, and where it stands. */
function buildCallSummary(
  call: Call,
  { payloads, masked }: VisiblePayloads,
  own: Contract | undefined,
  parts: PlanPageInput,
): Omit<CallPage, "reader" | "createdAt"> {
  const { id, kind, owner, onBehalfOf } = call.principal;
  const preview = toPagePreview(payloads.preview);
  const input = payloads.input !== undefined && { input: payloads.input };
  const plan = buildPagePlan(call, { ...input, preview }, parts);
  const contract = own && raiseToHighestRisk(own, shownOf(call)?.steps);
  return {
    call: call.call,
    capability: call.capability,
    state: call.state,
    preview,
    masked,
    ...input,
    ...(contract && { contract }),
    asker: {
      id,
      kind,
      ...(owner !== undefined && { owner }),
      ...(onBehalfOf !== undefined && { onBehalfOf }),
    },
    ...(call.outcome && { outcome: call.outcome }),
    ...(plan && { plan }),
    ...(call.parent && { parent: { step: call.parent.step, href: `/calls/${call.parent.call}` } }),
  };
}

/** [TRUST 6] High risk is opened before it is approved; so is what nobody can tell the risk of any more. */
export function isHighRisk(contract: Pick<Contract, "risk"> | undefined): boolean {
  return contract === undefined || contract.risk === "high" || contract.risk === "critical";
}

function findVoterStatus(call: Call, round: Approval, looking: ApprovalPageInput): VoterStatus {
  const { voterStatus: standing, reader, delegations: absent, isOnlyPerson } = looking;
  if (standing === "own-call") return standing;
  return (
    voteEligibility(reader, absent, toOpenQuestion(call, round), isOnlyPerson).ineligibleReason ?? standing
  );
}

function canApprove({ votes }: Approval, { id }: Principal, standing: VoterStatus): boolean {
  return isApprover(standing) && !votes.some(({ by }) => by === id);
}

function isApprover(standing: VoterStatus): boolean {
  return standing === "approver" || standing === "confirmation";
}

/** The earlier preview as this reader may see it. */
function toEarlierPreview(
  call: Call,
  { reader, contract, earlier, revealed, visibility: sight }: ApprovalPageInput,
): Pick<ApprovalPage, "earlier"> {
  if (!earlier) return {};
  const preview = { salt: "", value: earlier as unknown as Json };
  const then = { ...call, payloads: { ...call.payloads, preview } };
  const shown = toPagePreview(
    maskPayloads(revealed ? call.principal : reader, then, contract, sight).payloads.preview,
  );
  return typeof shown === "object" ? { earlier: shown } : {};
}

/** How the answer is asked for, where the input says so as `human.ask` does. */
export function toAnswerRequest(input: Json | undefined): AnswerRequest {
  const given = typeof input === "object" && input !== null && !Array.isArray(input) ? input : {};
  const { question, kind, options } = given as { readonly [name: string]: Json };
  const asked = typeof question === "string" ? { question } : {};
  if (kind === "choice" && Array.isArray(options)) return { kind, options: options.map(String), ...asked };
  return kind === "confirm" || kind === "text" ? { kind, ...asked } : { kind: "json", ...asked };
}

/** Masked as a whole, it was still made. */
function toPagePreview(preview: Json | undefined): ApprovalPage["preview"] {
  if (preview === undefined) return "none";
  return typeof preview === "object" ? (preview as unknown as Preview) : "hidden";
}
