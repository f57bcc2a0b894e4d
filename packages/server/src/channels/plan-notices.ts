import { createHash } from "node:crypto";
import { type Call, type CallRef, type Ports, type RecordedEvent, type Store, urgencies } from "@paraph/core";
import type { NoticeStore, PlannedNotice } from "../postgres/index.ts";
import type { Outbox } from "../webhooks/index.ts";
import { filterEligible, isWaiting, selectApprovers } from "./recipients.ts";

/** The dependencies of `planNotices`. */
export interface PlanDeps {
  readonly outbox: Pick<Outbox, "news" | "isFlood">;
  readonly notices: Pick<NoticeStore, "listPeople" | "listTold" | "plan">;
  readonly ports: Pick<Ports, "clock"> & { readonly store: Pick<Store, "load" | "hasOtherPerson"> };
}

/** The outbox's id of a channel. */
export function toChannelEndpoint(channel: string): string {
  return `channel:${channel}`;
}

/**
 * Turns the new events of one call into notices: one per recipient, for the people who may decide at this moment. A
 * request that was decided meanwhile is not announced. An outcome is for the people who were told of the request.
 */
export async function planNotices(channel: string, ref: CallRef, deps: PlanDeps): Promise<void> {
  const { outbox, notices, ports } = deps;
  const endpoint = toChannelEndpoint(channel);
  const news = await outbox.news(endpoint, ref);
  const last = news?.events.at(-1);
  if (!news || !last) return;
  const causes = news.events.filter(({ kind }) => kind !== "observation") as RecordedEvent[];
  const call = causes.some(isCause) ? await ports.store.load(ref) : undefined;
  const planned = call
    ? [
        ...(await planRequests(channel, call, causes, deps)),
        ...(await planOutcomes(channel, call, causes, deps)),
      ]
    : [];
  await notices.plan(endpoint, channel, ref, last.seq, planned);
}

function isCause({ kind }: RecordedEvent): boolean {
  return kind in requestKinds || kind === "round-closed" || kind === "closed";
}

const requestKinds: Readonly<Partial<Record<RecordedEvent["kind"], "request" | "reminder" | "escalation">>> =
  {
    asked: "request",
    reassigned: "request",
    reminded: "reminder",
    escalated: "escalation",
  };

/** Plans the notices of an open round. If several events are new, one notice per recipient stands for all of them. */
async function planRequests(
  channel: string,
  call: Call,
  events: readonly RecordedEvent[],
  { outbox, notices, ports }: PlanDeps,
): Promise<readonly PlannedNotice[]> {
  const round = call.approval;
  if (!round || !isWaiting(call, round, ports.clock.now())) return [];
  const causes = events.filter(({ kind, data }) => kind in requestKinds && data.round === round.round);
  const cause = causes.find(({ kind }) => kind === "asked") ?? causes.at(-1);
  if (!cause) return [];
  const found = await notices.listPeople(call.tenant, channel, selectApprovers(call, round));
  const eligible = await filterEligible(found, call, round, ports);
  const isReassigned = cause.kind === "reassigned";
  const recipients = eligible.filter(({ principal }) => !isReassigned || principal.id === cause.data.to);
  if (recipients.length === 0) return [];
  const flood = await outbox.isFlood(toChannelEndpoint(channel), call);
  return recipients.map(({ principal }) => ({
    id: createNoticeId(channel, call, cause.seq, principal.id),
    kind: requestKinds[cause.kind]!,
    recipient: principal.id,
    approval: round.id,
    seq: cause.seq,
    urgency: Math.max(0, ...round.guards.map(({ urgency }) => urgencies.indexOf(urgency))),
    flood,
  }));
}

/**
 * Plans the notices of an outcome. The end of the round is one. The end of the call is another, unless it only confirms
 * what the first one announced.
 */
async function planOutcomes(
  channel: string,
  call: Call,
  events: readonly RecordedEvent[],
  { notices }: PlanDeps,
): Promise<readonly PlannedNotice[]> {
  const round = call.approval;
  const closed = events.find(({ kind }) => kind === "closed");
  const approved = events.findLast(({ kind, data }) => kind === "round-closed" && data.status === "approved");
  const cause = closed ?? approved;
  if (!round || !cause) return [];
  const isExpected = closed?.data.outcome === "succeeded";
  const told = await notices.listTold(channel, call);
  return told
    .filter(({ kinds }) => !(isExpected && kinds.includes("outcome")))
    .map(({ recipient }) => ({
      id: createNoticeId(channel, call, cause.seq, recipient),
      kind: "outcome",
      recipient,
      approval: round.id,
      seq: cause.seq,
      urgency: 0,
      flood: false,
    }));
}

/** Returns the id of a notice. The same event, recipient and channel always give the same id. */
function createNoticeId(channel: string, { tenant, call }: CallRef, seq: number, recipient: string): string {
  const parts = JSON.stringify([tenant, call, seq, channel, recipient]);
  return `notice_${createHash("sha256").update(parts).digest("hex").slice(0, 32)}`;
}
