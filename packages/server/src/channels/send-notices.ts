import { createHash } from "node:crypto";
import { type Call, type CallRequest, type Evaluated, filterEligible, type Ports } from "@paraph/core";
import type {
  DueNotice,
  MailRequestStore,
  NoticeStore,
  ReachablePerson,
  ReplyStore,
} from "../postgres/index.ts";
import { computeRetryDelay } from "../webhooks/index.ts";
import type { Channel, ChannelConfig, ChannelMessage } from "./channel.ts";
import { createReply } from "./create-reply.ts";
import { buildCallContent, type ContentDeps, createNoticeLinks } from "./notice-content.ts";
import { findQuietEnd } from "./quiet-hours.ts";
import type { RateWindow } from "./rate-window.ts";
import { findPlace, toPlaceRecipient } from "./recipients.ts";
import { fromUrgencyRank } from "./urgency-rank.ts";

/** The dependencies of `sendToRecipient`. */
export interface SendDeps extends ContentDeps {
  readonly config: ChannelConfig;
  readonly channel: Channel;
  readonly notices: NoticeStore;
  readonly replies: ReplyStore;
  readonly mailRequests: MailRequestStore;
  /** Previews a call of a person, and requests nothing. */
  readonly previewCall: (request: CallRequest) => Promise<Evaluated>;
  readonly rate: RateWindow;
  readonly ports: Pick<Ports, "store" | "catalog" | "clock" | "telemetry">;
  readonly signal: AbortSignal;
  readonly log: (code: string, about: { tenant: string; cause: string }) => void;
}

/**
 * The result for one recipient. `down` means that the channel failed, `full` that it may send no more within this
 * minute.
 */
export type SendResult = "sent" | "idle" | "down" | "full";

/** The time after which Paraph no longer repeats a message that fails. */
const maxRetryMs = 24 * 3_600_000;
const minuteMs = 60_000;

/**
 * Sends the due notices of one recipient. If they are more than the recipient may get within a minute, or if they belong
 * to a flood, one summary counts them. After a summary, the next one waits for a minute. Urgent notices come first.
 */
export async function sendToRecipient(
  { tenant, recipient }: { readonly tenant: string; readonly recipient: string },
  deps: SendDeps,
): Promise<SendResult> {
  const { config, notices, ports } = deps;
  const max = config.maxPerRecipient;
  const { recent, summaryAt, due } = await notices.loadBatch(tenant, config.name, recipient, max + 1);
  const free = Math.max(0, max - recent);
  const single = due.filter(({ flood }) => !flood);
  if (single.length === due.length && due.length <= free) return sendAll(due, deps);

  const urgent = single.filter(({ urgency }) => urgency > 0);
  const alone = (single.length < free ? single : urgent).slice(0, Math.max(0, free - 1));
  const except = alone.map(({ id }) => id);
  if (free > 0 && (summaryAt === null || due.some(({ kind }) => kind === "summary"))) {
    const id = createSummaryId(config.name, tenant, recipient, ports.clock.now());
    await notices.coalesce(tenant, config.name, recipient, id, except);
    const rest = await notices.loadBatch(tenant, config.name, recipient, max + 1);
    const summary = rest.due.filter(({ kind }) => kind === "summary").slice(0, 1);
    return sendAll([...alone, ...summary], deps);
  }
  const until = (summaryAt ?? ports.clock.now()) + minuteMs;
  await notices.postpone(tenant, config.name, recipient, until, except);
  return sendAll(alone, deps);
}

function createSummaryId(channel: string, tenant: string, recipient: string, at: number): string {
  const parts = JSON.stringify([tenant, channel, recipient, at]);
  return `summary_${createHash("sha256").update(parts).digest("hex").slice(0, 32)}`;
}

async function sendAll(due: readonly DueNotice[], deps: SendDeps): Promise<SendResult> {
  let result: SendResult = "idle";
  for (const notice of due) {
    if (deps.signal.aborted) return result;
    const one = await sendOne(notice, deps);
    if (one === "down" || one === "full") return one;
    if (one === "sent") result = one;
  }
  return result;
}

async function sendOne(notice: DueNotice, deps: SendDeps): Promise<SendResult> {
  const { config, notices, channel, rate, ports, signal } = deps;
  const { tenant, id } = notice;
  const prepared = await prepareMessage(notice, deps);
  if (prepared.kind === "drop") {
    await notices.endAttempt(tenant, id, { state: "dropped", code: prepared.code });
    return "idle";
  }
  if (prepared.kind === "hold") {
    await notices.hold(tenant, id, prepared.until);
    return "idle";
  }
  if (!rate.take(ports.clock.now())) return "full";
  if (!(await notices.beginAttempt(tenant, id))) return "idle";
  const reply = await createReply(notice, prepared, deps);
  const delivery = await channel.tell({ ...prepared.message, ...(reply && { reply }) }, signal);
  // An attempt that a stopping process cut off has an unknown result. The next process repeats it under the same id.
  if (delivery.kind === "failed" && signal.aborted) return "idle";
  if (delivery.kind === "sent") {
    ports.telemetry.measure("paraph.notices.sent", 1, { channel: config.name, kind: notice.kind });
    await notices.endAttempt(tenant, id, { state: "sent", providerId: delivery.providerId });
    return "sent";
  }
  const { code, permanent } = delivery;
  ports.telemetry.measure("paraph.notices.failed", 1, { channel: config.name, kind: notice.kind, code });
  const isLate = notice.failingSince !== null && ports.clock.now() - notice.failingSince > maxRetryMs;
  if (permanent || isLate) {
    deps.log("notice-given-up", { tenant, cause: code });
    await notices.endAttempt(tenant, id, { state: "given-up", code });
    return "idle";
  }
  await notices.endAttempt(tenant, id, {
    state: "waiting",
    code,
    waitMs: delivery.waitMs ?? computeRetryDelay(notice.attempts),
  });
  return "down";
}

type Prepared =
  | { readonly kind: "send"; readonly message: ChannelMessage; readonly call?: Call }
  | { readonly kind: "hold"; readonly until: number }
  | { readonly kind: "drop"; readonly code: string };

/**
 * Decides again, right before a message leaves, whether the recipient should get it, and writes it from the current
 * state of the call.
 */
async function prepareMessage(notice: DueNotice, deps: SendDeps): Promise<Prepared> {
  const { notices, ports } = deps;
  const receiver = await findReceiver(notice, deps);
  if (!receiver) return { kind: "drop", code: "recipient-unreachable" };
  const { person } = receiver;
  const about = {
    id: notice.id,
    tenant: notice.tenant,
    address: receiver.address,
    ...(notice.attempts > 0 && { since: notice.at }),
  };
  const quietUntil = findQuietEnd(person?.quiet, fromUrgencyRank(notice.urgency), ports.clock.now());
  if (notice.kind === "summary") {
    if (quietUntil !== undefined) return { kind: "hold", until: quietUntil };
    const counts = await notices.countSummary(notice.tenant, notice.id);
    if (counts.waiting + counts.ended === 0) return { kind: "drop", code: "nothing-left" };
    const links = createNoticeLinks(deps.url(), "/approvals");
    const content = { kind: "summary", ...counts, links } as const;
    return { kind: "send", message: { ...about, content } };
  }
  const call = await ports.store.load({ tenant: notice.tenant, call: notice.call });
  const refusal = call ? await findRefusal(notice, call, person, deps) : "call-gone";
  if (refusal !== undefined || !call?.approval) return { kind: "drop", code: refusal ?? "call-gone" };
  if (quietUntil !== undefined) return { kind: "hold", until: quietUntil };
  const { thread } = notice;
  const message = {
    ...about,
    content: await buildCallContent(call, call.approval, notice, deps),
    ...(thread && {
      thread: {
        id: thread.id,
        since: thread.at,
        ...(thread.providerId !== null && { providerId: thread.providerId }),
      },
    }),
  };
  return { kind: "send", message, call };
}

/** Returns the person who gets the notice, or the address of the place that gets it. */
async function findReceiver(
  { tenant, recipient }: DueNotice,
  { config, notices }: SendDeps,
): Promise<{ readonly address: string; readonly person?: ReachablePerson } | undefined> {
  const place = findPlace(config, tenant);
  if (place && recipient === toPlaceRecipient(place)) return { address: place.address };
  const [person] = await notices.listPeople(tenant, config.name, { ids: [recipient], limit: 1 });
  return person && { address: person.address, person };
}

/** Returns why the recipient should not get the notice any more. */
async function findRefusal(
  notice: Exclude<DueNotice, { kind: "summary" }>,
  call: Call,
  person: ReachablePerson | undefined,
  { config, notices, ports }: SendDeps,
): Promise<string | undefined> {
  if (notice.kind === "outcome") {
    const told = await notices.listTold(config.name, call);
    return told.some(({ recipient }) => recipient === notice.recipient) ? undefined : "not-told";
  }
  const round = call.approval;
  if (!round || round.id !== notice.approval || round.status !== "open" || call.state !== "asking")
    return "already-decided";
  if (!person) return undefined;
  const eligible = await filterEligible([person], call, round, ports);
  return eligible.length > 0 ? undefined : "not-eligible";
}
