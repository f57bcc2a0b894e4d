import {
  type Approval,
  type Call,
  type Checked,
  type CheckResult,
  type Contract,
  fingerprint,
  isPerformedByAgent,
  lastEvent,
  listDeclinedSteps,
  type Principal,
} from "@paraph/core";
import { refusalOf } from "../../services/refusal.ts";
import type { ApprovalSummary, CallSummary, Service } from "../../services/types/service-types.ts";
import type { PastRoundView, RoundView } from "../schemas/approval.ts";
import type { CallView } from "../schemas/call.ts";
import { sightOf } from "./field-visibility.ts";
import { type Shown, shownTo } from "./mask.ts";
import { notUndoneBy } from "./not-undone.ts";
import { guardView, waitingOf } from "./waiting.ts";

/** A call as this reader may see it. */
export async function callView(call: Call, reader: Principal, service: Service): Promise<CallView> {
  const contract = contractOf(call, service);
  const shown = shownTo(reader, call, contract, await sightOf(reader, call, service));
  const { payloads, masked } = shown;
  const self = `/v1/calls/${call.call}`;
  const closedAt = call.events.findLast(({ kind }) => kind === "closed")?.at;
  return {
    call: call.call,
    capability: call.capability,
    version: call.version,
    contractDigest: call.contractDigest,
    state: call.state,
    principal: asker(call.principal),
    ...((contract?.performer ?? isPerformedByAgent(call.events)) && { performer: "agent" }),
    key: call.key,
    session: call.session,
    createdAt: iso(call.createdAt),
    ...(closedAt !== undefined && { closedAt: iso(closedAt) }),
    ...(call.outcome && { outcome: call.outcome }),
    ...(call.state !== "closed" && { waiting: waitingOf(call) }),
    ...(payloads.input !== undefined && { input: payloads.input }),
    ...purposeOf(shown),
    ...previewOf(shown),
    ...(payloads.output !== undefined && { output: payloads.output }),
    ...(payloads.error !== undefined && { error: payloads.error }),
    ...(payloads.reason !== undefined && { reason: payloads.reason }),
    ...refusedBy(call),
    ...(payloads.undo !== undefined && { undo: payloads.undo }),
    ...(payloads.answer !== undefined && { answer: payloads.answer }),
    ...successionOf(call),
    ...(call.parent && { parent: { call: call.parent.call, step: call.parent.step } }),
    ...(call.outcome?.code === "returned" && { instructions: String(payloads.reason ?? "") }),
    ...(call.resolution && {
      resolution: {
        ...call.resolution,
        at: iso(call.resolution.at),
        ...(payloads.resolution !== undefined && { reason: payloads.resolution }),
      },
    }),
    ...(call.approval && {
      approval: { id: call.approval.id, round: call.approval.round, status: call.approval.status },
    }),
    attempts: call.attempts.map(({ number, at, ended }) => ({
      number,
      at: iso(at),
      ...(ended !== undefined && { ended }),
    })),
    masked: [...masked],
    links: {
      self,
      events: `${self}/events`,
      ...(call.state === "closed" && { receipt: `${self}/receipt` }),
      ...(contract?.composite && { plan: `/v1/plans/${call.call}` }),
      ...(call.payloads.undo && { undo: `${self}/undo` }),
    },
  };
}

/** Everything an approver needs to decide about this round; of an older one, where to look instead. */
export async function approvalView(
  call: Call,
  approval: string,
  reader: Principal,
  service: Service,
): Promise<RoundView | PastRoundView | undefined> {
  const round = call.approval;
  if (!round) return undefined;
  const self = `/v1/approvals/${approval}`;
  const links = { self, call: `/v1/calls/${call.call}`, newest: `/v1/approvals/${round.id}` };
  const common = { approval, call: call.call, newest: round.id };
  // A round makes room for another only by becoming void.
  if (round.id !== approval) return { kind: "past-round", ...common, status: "void", links };

  const contract = contractOf(call, service);
  const shown = shownTo(reader, call, contract, await sightOf(reader, call, service));
  return {
    kind: "round",
    ...common,
    round: round.round,
    status: round.status,
    digest: round.digest,
    fingerprint: fingerprint(round.digest),
    expiresAt: iso(round.expiresAt),
    capability: call.capability,
    contract: contract ? summaryOf(contract) : null,
    principal: asker(call.principal),
    ...(shown.payloads.input !== undefined && { input: shown.payloads.input }),
    ...previewOf(shown),
    ...purposeOf(shown),
    guards: round.guards.map(guardView),
    votes: round.votes.map(({ by, decision, as, at, groups }) => ({
      by,
      decision,
      as,
      at: iso(at),
      ...(groups && { groups: [...groups] }),
    })),
    checks: checksOf(shown).map(({ findings, ...result }) => ({ ...result, findings: [...findings] })),
    notUndone: [...(await notUndoneBy(call, reader, service))],
    ...declinedOf(call, round),
    ...(call.supersedes !== undefined && { supersedes: call.supersedes }),
    ...(call.editedBy !== undefined && { editedBy: call.editedBy }),
    ...(call.parent && { parent: { call: call.parent.call, step: call.parent.step } }),
    masked: [...shown.masked],
    links: {
      ...links,
      ...(round.status === "open" && { decision: `${self}/decision`, edit: `${self}/edit` }),
      messages: `/v1/calls/${call.call}/messages`,
    },
  };
}

export function callSummaryView(summary: CallSummary) {
  const { createdAt, closedAt, ...rest } = summary;
  return { ...rest, createdAt: iso(createdAt), ...(closedAt !== undefined && { closedAt: iso(closedAt) }) };
}

export function approvalSummaryView(summary: ApprovalSummary) {
  return {
    ...summary,
    fingerprint: fingerprint(summary.digest),
    guards: summary.guards.map(guardView),
    askedAt: iso(summary.askedAt),
    expiresAt: iso(summary.expiresAt),
  };
}

/** The contract the call was admitted under; undefined if this process means something else by the name. */
export function contractOf(call: Call, service: Service): Contract | undefined {
  const found = service.capability(call.tenant, call.capability);
  return found?.contractDigest === call.contractDigest ? found.contract : undefined;
}

/** [P6] Whose place this call took, who took its own, and who edited it. */
function successionOf({ supersedes, editedBy, outcome, events }: Call) {
  const closed = outcome?.kind === "superseded" ? lastEvent(events, "closed") : undefined;
  const successor = closed?.data.successor;
  const by = editedBy ?? closed?.data.editedBy;
  return {
    ...(supersedes !== undefined && { supersedes }),
    ...(successor !== undefined && { successor }),
    ...(by !== undefined && { editedBy: by }),
  };
}

function refusedBy(call: Call): Pick<CallView, "refusal"> {
  const refusal = refusalOf(call);
  return refusal ? { refusal: { ...refusal, policies: [...refusal.policies] } } : {};
}

function declinedOf(call: Call, round: Approval) {
  const declined = [...listDeclinedSteps(call, round)];
  return declined.length > 0 ? { declined } : {};
}

export function iso(at: number): string {
  return new Date(at).toISOString();
}

/** A preview that is masked as a whole was still made. */
function previewOf({ payloads }: Shown): Pick<CallView, "previewed" | "preview"> {
  const { preview } = payloads;
  const shown = typeof preview === "object" ? (preview as unknown as CallView["preview"]) : null;
  return { previewed: preview !== undefined, preview: shown };
}

/** What the checks found, as far as the reader may see it. */
export function checksOf({ payloads: { checks } }: Shown): readonly CheckResult[] {
  return typeof checks === "object" ? (checks as unknown as Checked).results : [];
}

function purposeOf({ payloads }: Shown) {
  return payloads.purpose === undefined
    ? {}
    : { purpose: { text: String(payloads.purpose), checked: false as const } };
}

function asker({ id, kind, owner, onBehalfOf }: Principal) {
  return { id, kind, ...(owner !== undefined && { owner }), ...(onBehalfOf !== undefined && { onBehalfOf }) };
}

function summaryOf({ version, summary, effect, risk, performer }: Contract) {
  return { version, summary, effect, risk, ...(performer && { performer }) };
}
