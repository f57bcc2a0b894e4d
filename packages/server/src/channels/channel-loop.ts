import type { PushDeviceStore } from "../postgres/index.ts";
import { computeRetryDelay, type Outbox, pause } from "../webhooks/index.ts";
import type { ChannelConfig, ReceiveContext } from "./channel.ts";
import { cachePeople } from "./people-cache.ts";
import { type PlanDeps, planNotices, toChannelEndpoint } from "./plan-notices.ts";
import { RateWindow } from "./rate-window.ts";
import { sendAnswers } from "./send-answers.ts";
import { type SendDeps, sendToRecipient } from "./send-notices.ts";
import { sendRequestMails } from "./send-request-mails.ts";

/** The dependencies of `startChannels`. */
export interface ChannelsDeps
  extends Pick<SendDeps, "notices" | "replies" | "mailRequests" | "previewCall" | "url">,
    Pick<
      ReceiveContext,
      "messageStore" | "announceChange" | "ports" | "slack" | "intents" | "requestCall" | "undoCall"
    > {
  readonly channels: readonly ChannelConfig[];
  readonly outbox: Pick<Outbox, "holds" | "due" | "failed">;
  readonly credential: (name: string) => Promise<string>;
  readonly folder: string;
  readonly devices: PushDeviceStore;
  readonly log: (code: string, about?: { tenant?: string; call?: string; cause?: string }) => void;
  /** The interval between two polls for due work (default: 500 ms). */
  readonly pollMs?: number;
}

const batchSize = 100;
const maxPauseMs = 60_000;
/** The number of recipients in a row after whose failures the channel counts as down. */
const maxFailures = 3;

/**
 * Starts the channels that this process holds. For each channel, one process turns events into notices and sends them.
 * The process keeps trying to take over the channels that it does not hold.
 */
export function startChannels(parts: ChannelsDeps): { stop(): Promise<void> } {
  const stopping = new AbortController();
  const opened = parts.channels.map((config) => ({
    config,
    channel: config.open({ credential: parts.credential, folder: parts.folder, devices: parts.devices }),
  }));
  const { signal } = stopping;
  const loops = opened.flatMap((one) => [
    runChannel({ ...parts, ...one, signal }),
    runReceiver({ ...parts, ...one, signal }),
  ]);
  return {
    async stop() {
      stopping.abort();
      await Promise.all(loops);
      await Promise.all(opened.map(({ channel }) => channel.close()));
    },
  };
}

/**
 * Handles what people do while this process owns the channel. After a lost connection, it waits longer and longer. A
 * process that does not own the channel looks again after a second, because it takes over when the owner dies.
 */
async function runReceiver(parts: ChannelDeps): Promise<void> {
  const { config, outbox, ports, signal, log } = parts;
  const run = config.receive ?? config.listen;
  if (!run) return;
  const isOwner = () => outbox.holds(toChannelEndpoint(config.name));
  let failures = 0;
  while (!signal.aborted) {
    const startedAt = ports.clock.now();
    let hasFailed = false;
    try {
      if (await isOwner()) await run({ ...parts, isOwner });
    } catch (error) {
      hasFailed = true;
      if (!signal.aborted) log("replies-unavailable", { cause: toCause(error) });
    }
    const isStable = !hasFailed || ports.clock.now() - startedAt > maxPauseMs;
    failures = isStable ? 0 : failures + 1;
    await pause(Math.min(computeRetryDelay(failures), maxPauseMs), signal);
  }
}

/** Returns the code of an error. Its message may contain an address. */
function toCause(error: unknown): string {
  const { code } = error as { readonly code?: unknown };
  return typeof code === "string" && /^[A-Za-z_-]{1,40}$/.test(code) ? code.toLowerCase() : "failed";
}

type ChannelDeps = Omit<ChannelsDeps, "channels"> & Pick<SendDeps, "config" | "channel" | "signal">;

async function runChannel(parts: ChannelDeps): Promise<void> {
  const { config, outbox, notices, ports, signal, log, pollMs = 500 } = parts;
  const endpoint = toChannelEndpoint(config.name);
  let rate: RateWindow | undefined;
  let failures = 0;
  let resumeAt = 0;
  while (!signal.aborted) {
    let hasMore = false;
    try {
      if (!(await outbox.holds(endpoint))) rate = undefined;
      else {
        rate ??= new RateWindow(config.maxPerMinute, await notices.listRecentAttempts(config.name));
        hasMore = await planDue(endpoint, parts);
        if (ports.clock.now() >= resumeAt) {
          const isUp = await sendDue({ ...parts, rate });
          if (isUp && config.takesReplies) await sendAnswers({ ...parts, rate });
          if (isUp && config.takesRequests) await sendRequestMails({ ...parts, rate });
          failures = isUp ? 0 : failures + 1;
          // While the channel is down, all notices share one pause. Each notice also keeps its own, longer delay.
          resumeAt = isUp ? 0 : ports.clock.now() + Math.min(computeRetryDelay(failures - 1), maxPauseMs);
        }
      }
    } catch {
      log("notices-failed");
    }
    if (!hasMore) await pause(pollMs, signal);
  }
}

/** Turns the due events of up to a hundred calls into notices. Returns whether there may be more. */
async function planDue(endpoint: string, parts: ChannelDeps): Promise<boolean> {
  const due = await parts.outbox.due(endpoint, batchSize);
  const deps = cachePeople(parts);
  for (const [tenant, refs] of Map.groupBy(due, (ref) => ref.tenant)) {
    const calls = refs.map(({ call }) => call);
    await planCalls(endpoint, tenant, calls, deps, parts);
  }
  return due.length === batchSize;
}

/** Plans calls of one tenant together. If that fails, it plans each call alone, so that one call cannot stop the others. */
async function planCalls(
  endpoint: string,
  tenant: string,
  calls: readonly string[],
  deps: PlanDeps,
  parts: ChannelDeps,
): Promise<void> {
  const { config, outbox, signal, log } = parts;
  if (signal.aborted) return;
  try {
    await planNotices(config, tenant, calls, deps);
  } catch {
    if (calls.length > 1) {
      for (const call of calls) await planCalls(endpoint, tenant, [call], deps, parts);
      return;
    }
    // This call is tried again later.
    const ref = { tenant, call: calls[0]! };
    log("notice-failed", ref);
    await outbox.failed(endpoint, ref, 10_000, "plan-failed");
  }
}

/** Sends the due notices. Returns false if the channel seems to be down. */
async function sendDue(parts: SendDeps): Promise<boolean> {
  const { config, notices, signal } = parts;
  let failed = 0;
  let sent = 0;
  for (const each of await notices.listDueRecipients(config.name, batchSize)) {
    if (signal.aborted) return true;
    const result = await sendToRecipient(each, parts);
    if (result === "full") return true;
    if (result === "sent") sent++;
    // A server can refuse one recipient for a while and accept the next one.
    if (result === "down" && ++failed >= maxFailures && sent === 0) return false;
  }
  return failed === 0 || sent > 0;
}
