import {
  type Approval,
  answerGuard,
  type Call,
  type Contract,
  eventsOfKind,
  findErasure,
  type Json,
  lastEvent,
  listDeclinedSteps,
  type Payload,
  type Preview,
  type Principal,
  lastPreview as shownOf,
  type VisiblePayloads,
} from "@paraph/core";
import type { PageDetail } from "../../http/middleware/csrf-token.ts";
import { readChecks, toVoidCode, withPreview } from "../../http/views/call-view.ts";
import { showHeadline } from "../../http/views/headline-view.ts";
import { raiseToHighestRisk } from "../../http/views/highest-risk.ts";
import type { VoterStatus } from "../../http/views/voter-status.ts";
import { type FieldVisibility, maskPayloads } from "../../visibility/mask-payloads.ts";
import type { AnswerRequest, ApprovalPage, CallPage, PageHistory, PageMessage } from "./approval-types.ts";
import { buildPagePlan, listVotes, type PlanPageInput } from "./plan-page.ts";
import { createReasonFinder } from "./reasons.ts";

/** The data, other than the call, that an approval page is built from. */
export interface ApprovalPageInput {
  readonly reader: Principal;
  readonly contract: Contract | undefined;
  readonly voterStatus: VoterStatus;
  readonly needsPasskey?: boolean;
  readonly history: PageHistory;
  readonly now: number;
  readonly opened: boolean;
  /** Whether the reader has revealed the sensitive fields. If true, Paraph has recorded the reveal. */
  readonly revealed: boolean;
  readonly messages: readonly PageMessage[];
  /** The preview of the previous round. */
  readonly earlier?: Preview;
  readonly successor?: ApprovalPage["successor"];
  /** Every reason that people gave with their decisions about the call. */
  readonly reasons: readonly Payload[];
  /** The words of the person whose edit created this call. */
  readonly editReason?: string;
  readonly createCsrfToken: (seen: PageDetail) => string;
  readonly visibility: FieldVisibility;
  readonly notUndone: ApprovalPage["notUndone"];
  /** The calls that a plan or composite has made. */
  readonly steps: PlanPageInput["steps"];
}

/** Builds the page of a call's newest round, as this reader may see it. */
export function buildApprovalPage(call: Call, round: Approval, input: ApprovalPageInput): ApprovalPage {
  const { reader, history, now, opened, createCsrfToken, visibility, steps } = input;
  // After a reveal, the reader sees the payloads as the requester does.
  const mask = (shown: Call) =>
    maskPayloads(input.revealed ? call.principal : reader, shown, input.contract, visibility);
  const visiblePayloads = mask(call);
  const { payloads, masked } = visiblePayloads;
  const findReason = createReasonFinder(call, input.reasons, mask);
  const reason = findReason(
    lastEvent(call.events, "withdrawn")?.data ?? lastEvent(call.events, "closed")?.data ?? {},
  );
  const { voterStatus: status } = input;
  const isOpen = round.status === "open" && call.state === "asking" && round.expiresAt > now;
  const yesWanted = isOpen && canApprove(round, reader, status);
  const editHref = isOpen
    ? (step: string) => `/approvals/${round.id}/edit?${new URLSearchParams({ step })}`
    : undefined;
  const seen = buildCallSummary(call, visiblePayloads, input.contract, {
    steps,
    findContract: visibility.findContract,
    editHref,
  });
  const { contract } = seen;
  const mustOpen = yesWanted && isHighRisk(contract) && !opened;
  return {
    now,
    reader: { id: reader.id, voterStatus: status },
    approval: round.id,
    round: round.round,
    status: round.status,
    ...toVoidCode(call, round),
    digest: round.digest,
    askedAt: call.events.findLast(({ kind }) => kind === "asked")?.at ?? call.createdAt,
    expiresAt: round.expiresAt,
    ...seen,
    ...(typeof payloads.purpose === "string" && { purpose: payloads.purpose }),
    ...(typeof payloads.compressedState === "string" && { compressedState: payloads.compressedState }),
    guards: listRaisedGuards(call, round),
    votes: listVotes(call, round, findReason),
    checks: readChecks(visiblePayloads),
    notUndone: input.notUndone,
    history,
    ...(reason !== undefined && { reason }),
    opened,
    mustOpen,
    acknowledgedBy: eventsOfKind(call.events, "acknowledged")
      .filter(({ data }) => data.round === round.round)
      .map(({ data }) => data.by),
    messages: input.messages,
    ...(round.round > 1 && toEarlierPreview(call, input)),
    ...(call.editedBy !== undefined && { editedBy: call.editedBy }),
    ...(input.editReason !== undefined && { editReason: input.editReason }),
    ...(input.successor && { successor: input.successor }),
    ...(round.guards.some(({ id }) => id === answerGuard.id) && {
      answerRequest: toAnswerRequest(payloads.input),
    }),
    ...(round.status === "approved" && payloads.answer !== undefined && { answer: payloads.answer }),
    ...(input.needsPasskey && yesWanted && { needsPasskey: true }),
    forms: {
      ...(isOpen && { say: createCsrfToken("shown") }),
      ...(isOpen && status !== "own-call" && { deny: createCsrfToken("shown") }),
      ...(yesWanted && !mustOpen && { approve: createCsrfToken("opened") }),
      ...(isOpen && masked.length > 0 && isApprover(status) && { reveal: createCsrfToken("shown") }),
    },
  };
}

/** Returns the guards whose votes count. A guard only for steps that an approver left out demands no votes. */
function listRaisedGuards(call: Call, round: Approval): Approval["guards"] {
  const declined = listDeclinedSteps(call, round);
  return round.guards.filter(({ steps }) => !steps?.every((step) => declined.has(step)));
}

/** Builds the page of a call without an approval. */
export function buildCallPage(
  call: Call,
  looking: Pick<ApprovalPageInput, "reader" | "contract" | "visibility" | "steps" | "now">,
): CallPage {
  const { reader, contract, visibility, steps, now } = looking;
  const payloads = maskPayloads(reader, call, contract, visibility);
  const parts = { steps, findContract: visibility.findContract, editHref: undefined };
  return {
    now,
    reader: reader.id,
    createdAt: call.createdAt,
    ...buildCallSummary(call, payloads, contract, parts),
  };
}

/** Builds the part that both pages share: the call's subject, requester and state. */
function buildCallSummary(
  call: Call,
  visiblePayloads: VisiblePayloads,
  own: Contract | undefined,
  parts: PlanPageInput,
): Omit<CallPage, "now" | "reader" | "createdAt"> {
  const { payloads, masked } = visiblePayloads;
  const { id, kind, owner, onBehalfOf } = call.principal;
  const preview = toPagePreview(payloads.preview);
  const input = payloads.input !== undefined && { input: payloads.input };
  const erasure = findErasure(call);
  const plan = buildPagePlan(call, { ...input, preview }, parts);
  const contract = own && raiseToHighestRisk(own, shownOf(call)?.steps);
  return {
    call: call.call,
    headline: showHeadline(call, visiblePayloads, own),
    capability: call.capability,
    state: call.state,
    preview,
    masked,
    ...input,
    ...(erasure && { erased: { at: erasure.at, reason: erasure.data.reason } }),
    ...(contract && { contract }),
    asker: {
      id,
      kind,
      ...(owner !== undefined && { owner }),
      ...(onBehalfOf !== undefined && { onBehalfOf }),
    },
    ...(call.outcome && { outcome: call.outcome }),
    ...(call.resolution && { resolution: call.resolution }),
    ...(plan && { plan }),
    ...(call.parent && { parent: { step: call.parent.step, href: `/calls/${call.parent.call}` } }),
  };
}

/**
 * [TRUST 6] Returns whether the reader must open the details before approving. The reader must open them if the risk is
 * high or critical, or if it is unknown because the contract is unknown.
 */
export function isHighRisk(contract: Pick<Contract, "risk"> | undefined): boolean {
  return contract === undefined || contract.risk === "high" || contract.risk === "critical";
}

function canApprove({ votes }: Approval, { id }: Principal, status: VoterStatus): boolean {
  return isApprover(status) && !votes.some(({ by }) => by === id);
}

function isApprover(status: VoterStatus): boolean {
  return status === "approver" || status === "confirmation";
}

/** Returns the earlier preview as this reader may see it. */
function toEarlierPreview(
  call: Call,
  { reader, contract, earlier, revealed, visibility }: ApprovalPageInput,
): Pick<ApprovalPage, "earlier"> {
  if (!earlier) return {};
  const then = withPreview(call, earlier);
  const shown = toPagePreview(
    maskPayloads(revealed ? call.principal : reader, then, contract, visibility).payloads.preview,
  );
  return typeof shown === "object" ? { earlier: shown } : {};
}

/**
 * Returns the form of the requested answer. If the input does not describe the answer as `human.ask` does, the kind is
 * `json`.
 */
export function toAnswerRequest(input: Json | undefined): AnswerRequest {
  const given = typeof input === "object" && input !== null && !Array.isArray(input) ? input : {};
  const { question, kind, options, why } = given as { readonly [name: string]: Json };
  const asked = {
    ...(typeof question === "string" && { question }),
    ...(typeof why === "string" && { why }),
  };
  if (kind === "choice" && Array.isArray(options)) return { kind, options: options.map(String), ...asked };
  return kind === "confirm" || kind === "text" ? { kind, ...asked } : { kind: "json", ...asked };
}

/** Returns the preview, `none` if the call has no preview, or `hidden` if the whole preview is masked. */
export function toPagePreview(preview: Json | undefined): ApprovalPage["preview"] {
  if (preview === undefined) return "none";
  return typeof preview === "object" ? (preview as unknown as Preview) : "hidden";
}
