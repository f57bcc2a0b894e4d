import {
  type Approval,
  type Call,
  type Checked,
  type CheckResult,
  type Contract,
  correlationId,
  findErasure,
  findRetryRefusal,
  findVoidCode,
  fingerprint,
  isJsonObject,
  isPerformedByAgent,
  isRetryable,
  type Json,
  lastEvent,
  lastPreview,
  listDeclinedSteps,
  type Preview,
  type Principal,
  sameJson,
  type VisiblePayloads,
} from "@paraph/core";
import type { ApprovalSummary, CallSummary, ParaphService } from "../../services/paraph-service.ts";
import { findRefusal } from "../../services/refusal.ts";
import { resolveFieldVisibility } from "../../visibility/field-visibility.ts";
import { findContract } from "../../visibility/find-contract.ts";
import { maskForReader } from "../../visibility/mask-for-reader.ts";
import { maskPayloads } from "../../visibility/mask-payloads.ts";
import type { PastRoundView, RoundView } from "../schemas/approval.ts";
import type { CallView } from "../schemas/call.ts";
import type { IntentRecordView } from "../schemas/intent-record.ts";
import { chooseConfirmation } from "./confirmation.ts";
import { describeCapability, showHeadline } from "./headline-view.ts";
import { raiseToHighestRisk } from "./highest-risk.ts";
import { listNotUndone } from "./not-undone.ts";
import { findVoter, type VoterStatus } from "./voter-status.ts";
import { toGuardView, toWaitingView } from "./waiting-view.ts";

/** Returns a call as this reader may see it. */
export async function toCallView(call: Call, reader: Principal, service: ParaphService): Promise<CallView> {
  const contract = findContract(call, service);
  const visiblePayloads = await maskForReader(reader, call, service);
  const { payloads, masked } = visiblePayloads;
  const undoneBy = call.payloads.undo && (await service.actions.findUndo(call));
  const self = `/v1/calls/${call.call}`;
  const closedAt = call.events.findLast(({ kind }) => kind === "closed")?.at;
  return {
    call: call.call,
    headline: showHeadline(call, visiblePayloads, contract),
    capability: call.capability,
    version: call.version,
    contractDigest: call.contractDigest,
    state: call.state,
    principal: toRequester(call.principal),
    ...((contract?.performer ?? isPerformedByAgent(call.events)) && { performer: "agent" }),
    key: call.key,
    session: call.session,
    ...toCorrelation(call),
    createdAt: toIso(call.createdAt),
    ...(closedAt !== undefined && { closedAt: toIso(closedAt) }),
    ...(call.outcome && { outcome: call.outcome }),
    ...(call.state !== "closed" && { waiting: toWaitingView(call) }),
    ...(payloads.input !== undefined && { input: payloads.input }),
    ...toUnverifiedView(visiblePayloads),
    ...(isJsonObject(payloads.words) && { words: payloads.words as unknown as IntentRecordView }),
    ...toPreviewView(visiblePayloads),
    ...(payloads.output !== undefined && { output: payloads.output }),
    ...(payloads.error !== undefined && { error: payloads.error }),
    ...(call.outcome?.kind === "failed" && { retryable: isRetryable(call) }),
    ...(payloads.reason !== undefined && { reason: payloads.reason }),
    ...toRefusalView(call),
    ...(payloads.undo !== undefined && { undo: payloads.undo }),
    ...(undoneBy !== undefined && { undoneBy }),
    ...(payloads.answer !== undefined && { answer: payloads.answer }),
    ...toSuccession(call),
    ...(call.parent && { parent: { call: call.parent.call, step: call.parent.step } }),
    ...(call.outcome?.code === "returned" && { instructions: String(payloads.reason ?? "") }),
    ...(call.resolution && {
      resolution: {
        ...call.resolution,
        at: toIso(call.resolution.at),
        ...(payloads.resolution !== undefined && { reason: payloads.resolution }),
      },
    }),
    ...toErasedView(call),
    ...(call.approval && {
      approval: { id: call.approval.id, round: call.approval.round, status: call.approval.status },
    }),
    attempts: call.attempts.map(({ number, at, ended }) => ({
      number,
      at: toIso(at),
      ...(ended !== undefined && { ended }),
    })),
    masked: [...masked],
    links: {
      self,
      events: `${self}/events`,
      ...(call.state === "closed" && { receipt: `${self}/receipt` }),
      ...(contract?.composite && { plan: `/v1/plans/${call.call}` }),
      ...(canRetry(call) && { retry: `${self}/retry` }),
      ...(undoneBy === undefined && canRequestUndo(call, visiblePayloads) && { undo: `${self}/undo` }),
    },
  };
}

/**
 * [TRUST 16] Returns whether the call offers an undo and the reader sees all of its values. As the requester of the undo,
 * the reader would see them all.
 */
export function canRequestUndo(call: Call, { payloads: { undo } }: VisiblePayloads): boolean {
  return undo !== undefined && sameJson(undo, call.payloads.undo?.value);
}

function canRetry(call: Call): boolean {
  if (call.stuck !== undefined) return true;
  return (
    call.outcome?.kind === "unknown" &&
    call.resolution?.finding !== "happened" &&
    findRetryRefusal(call) === undefined
  );
}

function toCorrelation(call: Call): Pick<CallView, "correlation"> {
  const correlation = correlationId(call);
  return correlation === undefined ? {} : { correlation };
}

function toErasedView(call: Call): Pick<CallView, "erased"> {
  const erasure = findErasure(call);
  if (!erasure) return {};
  const { by, reason, payloads } = erasure.data;
  return { erased: { at: toIso(erasure.at), by, reason, payloads: [...payloads] } };
}

/**
 * Returns the data that an approver needs to decide about this round. For a past round, it returns a link to the newest
 * round. If the reader has revealed the hidden fields, and Paraph has recorded it, nothing is masked.
 */
export async function toApprovalView(
  call: Call,
  approval: string,
  reader: Principal,
  service: ParaphService,
  { isRevealed = false }: { readonly isRevealed?: boolean } = {},
): Promise<RoundView | PastRoundView | undefined> {
  const round = call.approval;
  if (!round) return undefined;
  const self = `/v1/approvals/${approval}`;
  const links = { self, call: `/v1/calls/${call.call}`, newest: `/v1/approvals/${round.id}` };
  const common = { approval, call: call.call, newest: round.id };
  // A new round starts only after the earlier round is void. Every round except the newest is therefore void.
  if (round.id !== approval) return { kind: "past-round", ...common, status: "void", links };

  const contract = findContract(call, service);
  const visibility = await resolveFieldVisibility(reader, call, service);
  const earlier = round.round > 1 ? await service.actions.findEarlierPreview(call) : undefined;
  // After a reveal, the reader sees the payloads as the requester does.
  const shownTo = isRevealed ? call.principal : reader;
  const payloads = maskPayloads(shownTo, call, contract, visibility);
  const risk = contract && raiseToHighestRisk(contract, lastPreview(call)?.steps).risk;
  const confirmation = round.status === "open" ? chooseConfirmation(call, risk, payloads) : undefined;
  return {
    kind: "round",
    ...common,
    round: round.round,
    status: round.status,
    ...(round.status === "open" && (await toVoterView(reader, call, round, service))),
    ...toVoidCode(call, round),
    digest: round.digest,
    fingerprint: fingerprint(round.digest),
    expiresAt: toIso(round.expiresAt),
    headline: showHeadline(call, payloads, contract),
    capability: call.capability,
    contract: contract ? toContractSummary(contract) : null,
    ...(risk !== undefined && { risk }),
    ...(confirmation !== undefined && { confirmation }),
    principal: toRequester(call.principal),
    ...(payloads.payloads.input !== undefined && { input: payloads.payloads.input }),
    ...toPreviewView(payloads),
    ...(earlier && toEarlierView(maskPayloads(shownTo, withPreview(call, earlier), contract, visibility))),
    ...toUnverifiedView(payloads),
    guards: round.guards.map(toGuardView),
    votes: round.votes.map(({ by, decision, as, at, groups }) => ({
      by,
      decision,
      as,
      at: toIso(at),
      ...(groups && { groups: [...groups] }),
    })),
    checks: readChecks(payloads).map(({ findings, ...result }) => ({ ...result, findings: [...findings] })),
    notUndone: [...(await listNotUndone(call, reader, service))],
    ...toDeclined(call, round),
    ...(call.supersedes !== undefined && { supersedes: call.supersedes }),
    ...(call.editedBy !== undefined && { editedBy: call.editedBy }),
    ...(call.parent && { parent: { call: call.parent.call, step: call.parent.step } }),
    masked: [...payloads.masked],
    links: {
      ...links,
      ...(round.status === "open" && { decision: `${self}/decision`, edit: `${self}/edit` }),
      messages: `/v1/calls/${call.call}/messages`,
    },
  };
}

/** Returns why the votes of this round, or of the round before, no longer count. */
export function toVoidCode(call: Call, round: Approval): { readonly voidCode?: string } {
  const voidCode = findVoidCode(call.events, round);
  return voidCode === undefined ? {} : { voidCode };
}

/** Returns a listed call with its times in ISO 8601. */
export function toCallSummaryView(summary: CallSummary, contract: Contract | undefined) {
  const { createdAt, closedAt, ...rest } = summary;
  return {
    ...rest,
    headline: summary.headline ?? describeCapability(contract, summary.capability),
    createdAt: toIso(createdAt),
    ...(closedAt !== undefined && { closedAt: toIso(closedAt) }),
  };
}

/** Returns a listed approval with its fingerprint, its times in ISO 8601, and the reader's role if it is known. */
export function toApprovalSummaryView(
  summary: ApprovalSummary,
  contract: Contract | undefined,
  voter?: VoterStatus | "voted",
) {
  return {
    ...summary,
    headline: summary.headline ?? describeCapability(contract, summary.capability),
    ...(voter && { voter }),
    fingerprint: fingerprint(summary.digest),
    guards: summary.guards.map(toGuardView),
    askedAt: toIso(summary.askedAt),
    expiresAt: toIso(summary.expiresAt),
  };
}

/** [P6] Returns the call that this call replaced, the call that replaced this call, and the editor. */
function toSuccession({ supersedes, editedBy, outcome, events }: Call) {
  const closed = outcome?.kind === "superseded" ? lastEvent(events, "closed") : undefined;
  const successor = closed?.data.successor;
  const by = editedBy ?? closed?.data.editedBy;
  return {
    ...(supersedes !== undefined && { supersedes }),
    ...(successor !== undefined && { successor }),
    ...(by !== undefined && { editedBy: by }),
  };
}

function toRefusalView(call: Call): Pick<CallView, "refusal"> {
  const refusal = findRefusal(call);
  return refusal ? { refusal: { ...refusal, policies: [...refusal.policies] } } : {};
}

function toDeclined(call: Call, round: Approval) {
  const declined = [...listDeclinedSteps(call, round)];
  return declined.length > 0 ? { declined } : {};
}

/** Returns a time in ISO 8601. */
export function toIso(at: number): string {
  return new Date(at).toISOString();
}

/**
 * Returns the preview. `previewed` states whether the call has a preview. It is true even if the whole preview is
 * masked.
 */
function toPreviewView({ payloads }: VisiblePayloads): Pick<CallView, "previewed" | "preview"> {
  const { preview } = payloads;
  const shown = typeof preview === "object" ? (preview as unknown as CallView["preview"]) : null;
  return { previewed: preview !== undefined, preview: shown };
}

function toEarlierView({ payloads: { preview } }: VisiblePayloads): Pick<RoundView, "earlierPreview"> {
  if (typeof preview !== "object") return {};
  return { earlierPreview: preview as unknown as NonNullable<RoundView["earlierPreview"]> };
}

/** Returns the call with the preview of an earlier round, so that the same fields are masked in it. */
export function withPreview(call: Call, preview: Preview): Call {
  const payload = { salt: "", value: preview as unknown as Json };
  return { ...call, payloads: { ...call.payloads, preview: payload } };
}

/** Returns the results of the checks, as far as the reader may see them. */
export function readChecks({ payloads: { checks } }: VisiblePayloads): readonly CheckResult[] {
  return typeof checks === "object" ? (checks as unknown as Checked).results : [];
}

/** Returns the requester's own words, marked as unverified. */
function toUnverifiedView({ payloads: { purpose, compressedState } }: VisiblePayloads) {
  const mark = (text: Json) => ({ text: String(text), checked: false as const });
  return {
    ...(purpose !== undefined && { purpose: mark(purpose) }),
    ...(compressedState !== undefined && { compressedState: mark(compressedState) }),
  };
}

function toRequester({ id, kind, owner, onBehalfOf }: Principal) {
  return { id, kind, ...(owner !== undefined && { owner }), ...(onBehalfOf !== undefined && { onBehalfOf }) };
}

function toContractSummary({ version, summary, effect, risk, performer }: Contract) {
  return { version, summary, effect, risk, ...(performer && { performer }) };
}

async function toVoterView(
  reader: Principal,
  call: Call,
  round: Approval,
  { approver }: ParaphService,
): Promise<Pick<RoundView, "voter" | "needsPasskey">> {
  const voter = await findVoter(reader, call, round, approver);
  return { ...(voter && { voter: voter.status }), ...(voter?.needsPasskey && { needsPasskey: true }) };
}
