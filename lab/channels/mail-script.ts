import { setTimeout as sleep } from "node:timers/promises";
import { ScenarioRun, type StartedCall } from "../crash-points/scenario-run.ts";
import type { Script } from "../crash-points/script.ts";
import type { LabCluster } from "../lab-cluster.ts";
import type { Inbox, ReplyEffect } from "./inbox.ts";
import type { MailReceiver } from "./mail-receiver.ts";
import { maxRounds, replyToAnswers, type SentMailRequest, sendMailRequests } from "./mail-requests.ts";
import { isAtRest, moveToNextMinute } from "./notices.ts";

/** The environment of the processes that send mail to a receiver. */
export const createMailEnv = ({ url }: MailReceiver, more: Readonly<Record<string, string>> = {}) => ({
  MAIL_URL: url,
  NORMAL_EXPIRES: "8h",
  ...more,
});

/** A call that must be announced to these people, because it waited until they had a mail or a summary. */
export interface AnnouncedCall {
  readonly call: string;
  readonly recipients: readonly string[];
}

const recipients = ["approver", "second"];

/**
 * Creates a script with every kind of notice: a request with its outcome, a reminder, an escalation, a flood with its
 * summary, a notice during quiet hours, a refusal that is repeated and one that is given up. People reply with every
 * effect, and with a reply that has none. They also send requests by mail.
 */
export function createMailScript(
  cluster: LabCluster,
  mails: MailReceiver,
  inbox: Inbox,
  announced: AnnouncedCall[],
  requested: SentMailRequest[],
): Script {
  const env = createMailEnv(mails, inbox.env);
  return {
    env: { api: env, worker: env },
    async play(client, prefix) {
      await moveToNextMinute(cluster);
      const run = new ScenarioRun(client, prefix);
      const begin = (what: string, capability: string) => run.begin(what, capability);
      const first = await Promise.all([
        begin("alone", "asked.natural"),
        begin("denied", "asked.probe"),
        begin("approved", "mailed.keyed"),
        ...[1, 2, 3, 4, 5, 6, 7].map((number) => begin(`flood${number}`, "asked.keyed")),
      ]);
      // On a busy machine, a call is accepted before its approval is requested, and would then have no notice yet.
      await Promise.all(first.map((started) => run.findApproval(started)));
      const requests = await sendMailRequests(inbox, prefix);
      requested.push(...requests);
      await waitUntilAtRest(cluster);
      await replyToMails(cluster, mails, inbox, first);
      for (let round = 1; round <= maxRounds; round += 1) {
        await replyToAnswers(inbox, mails, requests, round);
        await inbox.waitUntilRead(cluster);
      }
      // The recipients got a summary just now, so this notice is postponed.
      const calls = [...first, await begin("late", "asked.keyed")];
      await waitUntilAtRest(cluster);
      // Two minutes bring the reminder, two more the escalation.
      for (const _ of [1, 2]) {
        await moveToNextMinute(cluster);
        await waitUntilAtRest(cluster);
      }
      announced.push(...calls.map(({ call }) => ({ call, recipients })));
      await Promise.all(calls.map((started) => denyUntilClosed(run, started)));
      await waitUntilAtRest(cluster);
    },
  };
}

async function replyToMails(
  cluster: LabCluster,
  mails: MailReceiver,
  inbox: Inbox,
  [alone, denied, approved]: readonly StartedCall[],
): Promise<void> {
  const reply = (call: StartedCall | undefined, effect: ReplyEffect) =>
    inbox.reply(cluster, mails, call!, "approver", effect);
  await reply(alone, "comment");
  await reply(alone, "acknowledge");
  // Policy does not allow a reply to approve this call.
  await reply(alone, "none");
  await reply(denied, "deny");
  await reply(approved, "approve");
  await inbox.waitUntilRead(cluster);
  await waitUntilAtRest(cluster);
}

/** Denies a call, and repeats that while a process is dead. */
export async function denyUntilClosed(run: ScenarioRun, started: StartedCall): Promise<void> {
  do await run.decide(started, "deny");
  while ((await run.getCall(started, 1)).state !== "closed");
}

/** Waits until every event is planned and no notice is due. */
export async function waitUntilAtRest(cluster: LabCluster): Promise<void> {
  // The limit of a hang. A sweep restarts processes, which takes long on a busy machine.
  const deadline = Date.now() + 300_000;
  // PostgreSQL may be the victim of the crash.
  while (!(await isAtRest(cluster).catch(() => false)) && Date.now() < deadline) await sleep(100);
}
