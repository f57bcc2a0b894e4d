import { createHash } from "node:crypto";
import {
  type Call,
  type CallRef,
  filterEligible,
  isRoundOpen,
  type Ports,
  type RecordedEvent,
  type Store,
  selectApprovers,
} from "@paraph/core";
import type { CallPlan, NoticeStore, PlannedNotice, ToldPerson } from "../postgres/index.ts";
import type { ChannelConfig } from "./channel.ts";
import { findPlace, maxRecipients, toPlaceRecipient } from "./recipients.ts";
import { toUrgencyRank } from "./urgency-rank.ts";

/** The dependencies of `planNotices`. */
export interface PlanDeps {
  readonly notices: Pick<NoticeStore, "listPeople" | "loadNews" | "plan">;
  readonly ports: Pick<Ports, "clock"> & { readonly store: Pick<Store, "hasOtherPerson"> };
}

/** The outbox's id of a channel. */
export function toChannelEndpoint(channel: string): string {
  return `channel:${channel}`;
}

const requestKinds: Readonly<Partial<Record<RecordedEvent["kind"], "request" | "reminder" | "escalation">>> =
  {
    asked: "request",
    reassigned: "request",
    reminded: "reminder",
    escalated: "escalation",
  };

/** The options of a channel that decide who gets which notices. */
export type PlanChannel = Pick<ChannelConfig, "name" | "place" | "updatesInPlace">;

/** The kinds of events that can cause a notice. */
const causes = [...Object.keys(requestKinds), "round-closed", "closed"];

/**
 * Turns the new events of many calls of one tenant into notices, with two statements: one per recipient, for the people
 * who may decide at this moment. A request that was decided meanwhile is not announced. An outcome is for the people who
 * were told of the request.
 */
export async function planNotices(
  config: PlanChannel,
  tenant: string,
  calls: readonly string[],
  deps: PlanDeps,
): Promise<void> {
  const channel = config.name;
  const endpoint = toChannelEndpoint(channel);
  const plans: CallPlan[] = [];
  for (const news of await deps.notices.loadNews(tenant, endpoint, channel, calls, causes)) {
    const { document, after, until } = news;
    const events = (document?.events ?? []).filter(
      ({ seq }) => seq > after && seq <= until,
    ) as readonly RecordedEvent[];
    const notices = document
      ? [
          ...(await planRequests(config, document, events, deps)),
          ...planOutcomes(config, document, events, news.told),
        ]
      : [];
    plans.push({ call: news.call, seq: until, notices });
  }
  if (plans.length > 0) await deps.notices.plan(tenant, endpoint, channel, plans);
}

/** Plans the notices of an open round. If several events are new, one notice per recipient stands for all of them. */
async function planRequests(
  config: PlanChannel,
  call: Call,
  events: readonly RecordedEvent[],
  { notices, ports }: PlanDeps,
): Promise<readonly PlannedNotice[]> {
  const round = call.approval;
  if (!round || !isRoundOpen(call, round, ports.clock.now())) return [];
  const asking = events.filter(({ kind, data }) => kind in requestKinds && data.round === round.round);
  const cause = asking.find(({ kind }) => kind === "asked") ?? asking.at(-1);
  if (!cause) return [];
  const channel = config.name;
  const place = findPlace(config, call.tenant);
  const findPeople = async () => {
    const selection = { ...selectApprovers(call, round), limit: maxRecipients };
    const found = await notices.listPeople(call.tenant, channel, selection);
    const eligible = (await filterEligible(found, call, round, ports)).map(({ principal }) => principal.id);
    return eligible.filter((id) => cause.kind !== "reassigned" || id === cause.data.to);
  };
  const recipients = place ? [toPlaceRecipient(place)] : await findPeople();
  const urgency = Math.max(...round.guards.map((guard) => toUrgencyRank(guard.urgency)));
  return recipients.map((recipient) => ({
    id: createNoticeId(channel, call, cause.seq, recipient),
    kind: requestKinds[cause.kind]!,
    recipient,
    approval: round.id,
    seq: cause.seq,
    urgency,
  }));
}

/**
 * Plans the notices of an outcome. The end of the round is one. The end of the call is another, unless it only confirms
 * what the first one announced.
 */
function planOutcomes(
  { name: channel, updatesInPlace = false }: PlanChannel,
  call: Call,
  events: readonly RecordedEvent[],
  told: readonly ToldPerson[],
): readonly PlannedNotice[] {
  const round = call.approval;
  const closed = events.find(({ kind }) => kind === "closed");
  const approved = events.findLast(({ kind, data }) => kind === "round-closed" && data.status === "approved");
  const cause = closed ?? approved;
  if (!round || !cause) return [];
  const isExpected = closed?.data.outcome === "succeeded" && !updatesInPlace;
  return told
    .filter(({ kinds }) => !(isExpected && kinds.includes("outcome")))
    .map(({ recipient }) => ({
      id: createNoticeId(channel, call, cause.seq, recipient),
      kind: "outcome",
      recipient,
      approval: round.id,
      seq: cause.seq,
      urgency: 0,
    }));
}

/** Returns the id of a notice. The same event, recipient and channel always give the same id. */
function createNoticeId(channel: string, { tenant, call }: CallRef, seq: number, recipient: string): string {
  const parts = JSON.stringify([tenant, call, seq, channel, recipient]);
  return `notice_${createHash("sha256").update(parts).digest("hex").slice(0, 32)}`;
}
