import { choosePoints, formatPoint } from "../crash-points/choose-points.ts";
import { summarizeSweep } from "../crash-points/coverage.ts";
import { type CrashPoint, discoverPoints } from "../crash-points/points.ts";
import type { Script } from "../crash-points/script.ts";
import { type CrashedPoint, Sweep } from "../crash-points/sweep.ts";
import { judgeHistory } from "../history/checker.ts";
import { createViolation, type Violation } from "../history/history-index.ts";
import type { LabOptions, LabResult } from "../lab.ts";
import { LabCluster } from "../lab-cluster.ts";
import { formatCounts } from "../report/coverage.ts";
import { finishRun } from "../report/finish.ts";
import { runFlood } from "./flood.ts";
import { Inbox } from "./inbox.ts";
import { judgeNotices, noticeRules } from "./judge.ts";
import { judgeMailRequests, mailRequestRules } from "./judge-requests.ts";
import { MailReceiver } from "./mail-receiver.ts";
import { readMailRequests, type SentMailRequest } from "./mail-requests.ts";
import { createMailScript, waitUntilAtRest } from "./mail-script.ts";
import { addRecipients, endQuietHours, moveClockBy, readNotices } from "./notices.ts";
import { runMailOutage } from "./outage.ts";
import { readReplyEffects } from "./replies.ts";

/**
 * The points of a quick run, which does not search for others: the result is not recorded, the mail not sent, the end of a
 * reply not recorded, the answer to a request by mail not recorded, and the call of a confirmed plan not recorded.
 */
const quickPoints: readonly CrashPoint[] = [
  { role: "worker", victim: "process", boundary: "notices.endAttempt>sent", when: "before" },
  { role: "worker", victim: "process", boundary: "notices.beginAttempt", when: "after" },
  { role: "worker", victim: "process", boundary: "replies.end", when: "before" },
  { role: "worker", victim: "process", boundary: "mailRequests.markSent>plan", when: "before" },
  { role: "worker", victim: "process", boundary: "mailRequests.recordCall>plan", when: "before" },
];

/**
 * Kills the sending process and PostgreSQL before and after every write of the outbox and of the records of notices, of
 * replies and of requests by mail. Takes the mail server down for an hour, and compares the records with the mails that
 * arrived. Then it floods the approvers.
 */
export async function runChannels(options: LabOptions): Promise<LabResult> {
  const startedAt = Date.now();
  const mails = await MailReceiver.start(createRefusals());
  const inbox = await Inbox.start();
  const cluster = await LabCluster.start({ engine: options.engine });
  try {
    await addRecipients(cluster);
    options.progress("taking the mail server down");
    const { announced, decidedMeanwhile } = await runMailOutage(cluster, mails);
    const expected = [...announced];
    const requested: SentMailRequest[] = [];
    const script = createMailScript(cluster, mails, inbox, expected, requested);
    options.progress("finding the boundaries");
    const found = options.quick ? quickPoints : (await discoverPoints(cluster, script)).filter(isSending);
    const { crashed, sweep } = await crashAtPoints(cluster, script, found, options);
    await endQuietHours(cluster);
    await waitUntilAtRest(cluster);
    // A day later, the requests without a confirmation expire.
    await moveClockBy(cluster, 25 * 3_600_000);
    await inbox.waitUntilRead(cluster);
    const notices = await readNotices(cluster);
    const history = await cluster.collectHistory(
      { run: "channels", seed: options.seed, startedAt, minSucceeded: 0, timeless: true },
      sweep.records,
    );
    const crashedPrefixes = new Set(crashed.filter(({ reached }) => reached).map(({ prefix }) => prefix));
    const requests = await readMailRequests(cluster, history, requested, crashedPrefixes);
    const violations = [
      ...(await judgeHistory(history)),
      ...judgeNotices({
        notices,
        mails: mails.accepted,
        announced: expected,
        decidedMeanwhile,
        replies: await readReplyEffects(cluster, inbox.sent),
        reported: cluster.logs.split("notice-given-up").length - 1,
      }),
      ...judgeMailRequests({ requests, mails: mails.accepted }),
      ...(options.quick ? findUnreached(crashed) : []),
    ];
    const flood = options.quick
      ? { figures: {}, violations: [] }
      : await runFlood(options.engine, { requests: 200, flood: options.calls ?? 20_000 }, options.progress);
    const distinct = new Set(mails.accepted.map(({ notice }) => notice)).size;
    const figures = {
      boundaries: new Set(found.map(({ boundary }) => boundary)).size,
      points: found.length,
      "points tried": crashed.length,
      reached: crashed.filter(({ reached }) => reached).length,
      calls: history.ledger.length,
      notices: notices.length,
      "mails accepted": mails.accepted.length,
      "mails repeated": mails.accepted.length - distinct,
      replies: inbox.sent.length,
      "requests by mail": requests.length,
      ...flood.figures,
      seconds: Math.round((Date.now() - startedAt) / 1_000),
    };
    const result = await finishRun(options, history, [...violations, ...flood.violations], figures, [
      `1 API process, 1 worker, PostgreSQL, ${cluster.engineText}, an SMTP server on loopback.`,
      `The mail server was down for an hour by the database's clock; ${decidedMeanwhile.length} requests were decided meanwhile, ${announced.length} were not.`,
      ...summarizeSweep(crashed, found.length),
      ...formatCounts(
        "Notices",
        notices.map(({ kind, state, code }) => [kind, state, ...(code ? [code] : [])].join(" ")),
      ),
      `The mails were judged by ${mailRules.length} more rules: ${mailRules.join(", ")}.`,
    ]);
    const names = crashed.filter(({ reached }) => reached).map(({ point }) => formatPoint(point));
    return { ...result, points: { known: found.map(formatPoint), reached: [...new Set(names)] } };
  } finally {
    await cluster.stop();
    await Promise.all([mails.stop(), inbox.stop()]);
  }
}

const mailRules = [...noticeRules, ...mailRequestRules];

/** The worker votes and comments only because of replies, and opens calls other than steps only because of requests. */
const isSending = ({ boundary, role }: CrashPoint): boolean =>
  role === "worker" &&
  /^(notices|outbox|replies|thread|mailRequests)\.|\+vote|\+acknowledged|^store\.open(?!.*\+step)/.test(
    boundary,
  );

/** The points of a quick run are chosen by name, so one that is not reached has a wrong name. */
function findUnreached(crashed: readonly CrashedPoint[]): Violation[] {
  return crashed
    .filter(({ reached }) => !reached)
    .map(({ point }) => createViolation("run", "-", `did not reach: ${formatPoint(point)}`));
}

/** Refuses `gone` for good, and every fourth mail to `second` once. */
function createRefusals(): (address: string) => number | undefined {
  let seen = 0;
  return (address) => {
    if (address.startsWith("gone@")) return 550;
    return address.startsWith("second@") && ++seen % 4 === 0 ? 451 : undefined;
  };
}

/** Limits the number of points. All points at which the process dies come before a sample of those of PostgreSQL. */
function limitPoints(points: readonly CrashPoint[], max: number, seed: number): readonly CrashPoint[] {
  const own = points.filter(({ victim }) => victim === "process");
  const others = points.filter(({ victim }) => victim !== "process");
  return [...own, ...choosePoints(others, { count: Math.max(0, max - own.length), seed })].slice(0, max);
}

async function crashAtPoints(
  cluster: LabCluster,
  script: Script,
  found: readonly CrashPoint[],
  options: LabOptions,
): Promise<{ readonly crashed: readonly CrashedPoint[]; readonly sweep: Sweep }> {
  const named = found.filter(({ boundary }) => boundary.includes(options.at ?? ""));
  const chosen = choosePoints(named, {
    seed: options.seed,
    ...(options.points && { named: options.points }),
  });
  const limited = options.kills === undefined ? chosen : limitPoints(chosen, options.kills, options.seed);
  const rounds = Array.from({ length: options.repeats ?? 1 }, () => limited).flat();
  const sweep = await Sweep.start(cluster, script);
  const crashed: CrashedPoint[] = [];
  for (const [index, point] of rounds.entries()) {
    options.progress(`${index + 1}/${rounds.length} ${formatPoint(point)}`);
    crashed.push(await sweep.crashAt(point, `p${index}`));
  }
  return { crashed, sweep };
}
