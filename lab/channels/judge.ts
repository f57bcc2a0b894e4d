import { createViolation, type Violation } from "../history/history-index.ts";
import type { AcceptedMail } from "./mail-receiver.ts";
import type { AnnouncedCall } from "./mail-script.ts";
import { type NoticeRow, toAddress } from "./notices.ts";
import type { ReplyHistory } from "./replies.ts";

/** The records of a run that the rules compare. */
export interface MailHistory {
  readonly notices: readonly NoticeRow[];
  readonly mails: readonly AcceptedMail[];
  /** The calls that must have been announced. */
  readonly announced: readonly AnnouncedCall[];
  /** The calls that were decided while the channel was down. */
  readonly decidedMeanwhile: readonly string[];
  /** The replies of people, and what became of them. */
  readonly replies: readonly ReplyHistory[];
  /** The number of notices that the logs report as given up. */
  readonly reported: number;
}

const rules = [
  noNoticeIsLeft,
  sentNoticesArrived,
  mailsHaveOneNotice,
  requestsAreAnnounced,
  droppedNoticesHaveReason,
  outcomesFollowRequests,
  decidedCallsAreNotAnnounced,
  onlyEligibleAreTold,
  noReplyIsLost,
  repliesCountOnce,
  refusedRepliesAreAnswered,
];

/** The names of the rules, for the description of a run. */
export const noticeRules: readonly string[] = rules.map(({ name }) => name);

/** Compares the record of notices with the mails that arrived. */
export function judgeNotices(history: MailHistory): Violation[] {
  return rules.flatMap((rule) =>
    rule(history).map(([notice, what]) =>
      createViolation(rule.name, notice.call ?? "", `${notice.id} to ${notice.recipient} ${what}`),
    ),
  );
}

type Finding = readonly [Pick<NoticeRow, "id" | "call" | "recipient">, string];

function noNoticeIsLeft({ notices }: MailHistory): Finding[] {
  return notices.filter(({ state }) => state === "waiting").map((notice) => [notice, "still waits"]);
}

function sentNoticesArrived({ notices, mails }: MailHistory): Finding[] {
  const arrived = new Set(mails.map(({ notice }) => notice));
  return notices
    .filter(({ state, id }) => state === "sent" && !arrived.has(id))
    .map((notice) => [notice, "is recorded as sent and did not arrive"]);
}

/** Every mail has the id of one notice to its recipient. So a repeated mail has the same Message-ID. */
function mailsHaveOneNotice({ notices, mails: all }: MailHistory): Finding[] {
  const mails = all.filter(({ notice }) => !/^(reply|request)_/.test(notice));
  const byId = new Map(notices.map((notice) => [notice.id, notice]));
  const unknown = mails
    .filter(({ notice, to }) => to !== toAddress(byId.get(notice)?.recipient ?? ""))
    .map(({ notice, to }): Finding => [{ id: notice, call: null, recipient: to }, "has no notice"]);
  const copies = [...Map.groupBy(mails, ({ notice }) => notice)]
    .filter(([id, all]) => all.length > (byId.get(id)?.attempts ?? 0))
    .flatMap(([id]): Finding[] => {
      const notice = byId.get(id);
      return notice ? [[notice, "arrived more often than it was attempted"]] : [];
    });
  const causes = Map.groupBy(
    notices.filter(({ call }) => call !== null),
    ({ call, seq, recipient }) => JSON.stringify([call, seq, recipient]),
  );
  const doubled = [...causes.values()]
    .filter((all) => all.length > 1)
    .map(([notice]): Finding => [notice!, "is one of two for the same event"]);
  return [...unknown, ...copies, ...doubled];
}

function requestsAreAnnounced({ notices, announced }: MailHistory): Finding[] {
  const byCall = Map.groupBy(notices, ({ call }) => call);
  const isSent = (id: string | null) => notices.some((each) => each.id === id && each.state === "sent");
  const isTold = ({ state, summary }: NoticeRow) =>
    state === "sent" || (state === "coalesced" && isSent(summary));
  return announced.flatMap(({ call, recipients }) =>
    recipients
      .filter((recipient) => {
        const own = (byCall.get(call) ?? []).filter((notice) => notice.recipient === recipient);
        return !own.some((notice) => notice.kind !== "outcome" && isTold(notice));
      })
      .map((recipient): Finding => [{ id: "no notice", call, recipient }, "announces the request"]),
  );
}

function droppedNoticesHaveReason({ notices, reported }: MailHistory): Finding[] {
  const gaveUp = notices.filter(({ state }) => state === "given-up");
  const unreported: Finding[] =
    gaveUp.length > reported
      ? [[gaveUp[0]!, `is one of ${gaveUp.length} given up, and the logs report ${reported}`]]
      : [];
  return [
    ...unreported,
    ...gaveUp
      .filter(({ recipient }) => recipient !== "gone")
      .map((notice): Finding => [notice, `was given up: ${notice.code}`]),
    ...notices
      .filter((notice) => notice.state === "dropped" && !hasReason(notice, notices))
      .map((notice): Finding => [notice, `was dropped without a reason: ${notice.code}`]),
  ];
}

function hasReason(notice: NoticeRow, notices: readonly NoticeRow[]): boolean {
  switch (notice.code) {
    case "already-decided":
    case "not-eligible":
      return notice.hasEnded;
    case "replaced":
      return notices.some(
        ({ call, recipient, seq }) =>
          call === notice.call && recipient === notice.recipient && (seq ?? 0) > (notice.seq ?? 0),
      );
    case "not-told":
      return notice.kind === "outcome";
    case "nothing-left":
      return notices.every(({ summary, hasEnded }) => summary !== notice.id || hasEnded);
    default:
      return false;
  }
}

/** A person who got a mail about a request also gets its outcome, in the same thread. */
function outcomesFollowRequests({ notices, mails }: MailHistory): Finding[] {
  const arrived = Map.groupBy(mails, ({ notice }) => notice);
  const byThread = Map.groupBy(
    notices.filter(({ call, hasEnded }) => call !== null && hasEnded),
    ({ call, recipient }) => JSON.stringify([call, recipient]),
  );
  return [...byThread.values()].flatMap((all): Finding[] => {
    const first = all
      .filter(({ kind, id }) => kind !== "outcome" && arrived.has(id))
      .toSorted((a, b) => a.seq! - b.seq!)[0];
    if (!first) return [];
    const outcome = all.find(({ kind, state }) => kind === "outcome" && state !== "dropped");
    if (!outcome) return [[first, "arrived, and its outcome was not told"]];
    return (arrived.get(outcome.id) ?? [])
      .filter(({ thread }) => thread !== first.id)
      .map((): Finding => [outcome, `is not in the thread of ${first.id}`]);
  });
}

function decidedCallsAreNotAnnounced({ notices, mails, decidedMeanwhile }: MailHistory): Finding[] {
  const arrived = new Set(mails.map(({ notice }) => notice));
  return notices
    .filter(({ call, id }) => decidedMeanwhile.includes(call ?? "") && arrived.has(id))
    .map((notice) => [notice, "arrived after the request was decided"]);
}

const isAnswer = ({ notice }: AcceptedMail): boolean => notice.startsWith("reply_");

const toFinding = ({ call, by, effect }: ReplyHistory, what: string): Finding => [
  { id: `reply ${effect}`, call, recipient: by },
  what,
];

function noReplyIsLost({ replies }: MailHistory): Finding[] {
  return replies
    .filter(({ records }) => records.length === 0)
    .map((reply) => toFinding(reply, "has no record of its end"));
}

/** A reply has its effect once. A reply that had an effect has no code. */
function repliesCountOnce({ replies }: MailHistory): Finding[] {
  return replies
    .filter(({ effect, records, effects }) => {
      const expected = effect === "none" ? 0 : 1;
      return effects !== expected || records.some(({ code }) => (code === null) !== (expected === 1));
    })
    .map((reply) => toFinding(reply, `had ${reply.effects} effects, with ${JSON.stringify(reply.records)}`));
}

/** The person who got the notice is told why a reply had no effect. */
function refusedRepliesAreAnswered({ replies, notices, mails }: MailHistory): Finding[] {
  const calls = new Map(notices.map(({ id, call }) => [id, call]));
  const answered = new Set(
    mails.filter(isAnswer).map(({ to, thread = "" }) => JSON.stringify([calls.get(thread), to])),
  );
  return replies
    .filter(
      ({ effect, call, by }) => effect === "none" && !answered.has(JSON.stringify([call, toAddress(by)])),
    )
    .map((reply) => toFinding(reply, "was refused, and the person was not told"));
}

/** The owner of the agents may not decide about their requests. */
function onlyEligibleAreTold({ notices }: MailHistory): Finding[] {
  return notices
    .filter(({ recipient }) => recipient === "owner")
    .map((notice) => [notice, "is for a person who may not decide"]);
}
