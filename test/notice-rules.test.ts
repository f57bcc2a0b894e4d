import { describe, expect, it } from "vitest";
import { judgeNotices, type MailHistory } from "../lab/channels/judge.ts";
import { judgeMailRequests } from "../lab/channels/judge-requests.ts";
import type { MailRequestHistory } from "../lab/channels/mail-requests.ts";
import type { NoticeRow } from "../lab/channels/notices.ts";
import type { ReplyHistory } from "../lab/channels/replies.ts";

const request: NoticeRow = {
  id: "n1",
  recipient: "ana",
  kind: "request",
  call: "c1",
  seq: 2,
  state: "sent",
  code: null,
  summary: null,
  attempts: 1,
  hasEnded: true,
};
const outcome: NoticeRow = { ...request, id: "n2", kind: "outcome", seq: 5 };
const honest: MailHistory = {
  notices: [request, outcome],
  mails: [
    { to: "ana@lab.test", notice: "n1", at: 1 },
    { to: "ana@lab.test", notice: "n2", thread: "n1", at: 2 },
  ],
  announced: [{ call: "c1", recipients: ["ana"] }],
  decidedMeanwhile: [],
  replies: [{ call: "c1", by: "ana", token: "t", effect: "deny", records: [{ code: null }], effects: 1 }],
  reported: 0,
};

const findBroken = (change: Partial<MailHistory>) =>
  judgeNotices({ ...honest, ...change }).map(({ rule }) => rule);
const reply = (change: Partial<ReplyHistory>) => ({ replies: [{ ...honest.replies[0]!, ...change }] });
const refused = { effect: "none", records: [{ code: "not-allowed" }], effects: 0 } as const;
const alter = (change: Partial<NoticeRow>) => ({ notices: [{ ...request, ...change }, outcome] });

describe("the judge of the experiment `channels`", () => {
  it("accepts an honest history, and a repeated mail with the same id", () => {
    expect(findBroken({})).toEqual([]);
    const answer = { to: "ana@lab.test", notice: "reply_1", thread: "n1", at: 3 };
    expect(findBroken({ ...reply(refused), mails: [...honest.mails, answer] })).toEqual([]);
    const twice = { notices: [{ ...request, attempts: 2 }, outcome] };
    expect(findBroken({ ...twice, mails: [honest.mails[0]!, ...honest.mails] })).toEqual([]);
  });

  it.each<[string, Partial<MailHistory>]>([
    ["noNoticeIsLeft", alter({ state: "waiting" })],
    ["sentNoticesArrived", { mails: [] }],
    ["mailsHaveOneNotice", { mails: [...honest.mails, { to: "ana@lab.test", notice: "n3", at: 3 }] }],
    ["mailsHaveOneNotice", { mails: [honest.mails[0]!, ...honest.mails] }],
    ["mailsHaveOneNotice", { notices: [...honest.notices, { ...request, id: "n4", state: "dropped" }] }],
    ["requestsAreAnnounced", { announced: [{ call: "c2", recipients: ["ana"] }] }],
    ["droppedNoticesHaveReason", alter({ state: "dropped", code: "already-decided", hasEnded: false })],
    ["droppedNoticesHaveReason", alter({ state: "given-up", recipient: "gone", code: "smtp-550" })],
    ["outcomesFollowRequests", { notices: [request], mails: [honest.mails[0]!] }],
    [
      "outcomesFollowRequests",
      { mails: [honest.mails[0]!, { to: "ana@lab.test", notice: "n2", at: 2, thread: "n9" }] },
    ],
    ["decidedCallsAreNotAnnounced", { decidedMeanwhile: ["c1"] }],
    ["onlyEligibleAreTold", alter({ recipient: "owner" })],
    ["noReplyIsLost", reply({ records: [] })],
    ["repliesCountOnce", reply({ effects: 2 })],
    ["repliesCountOnce", reply({ effects: 0 })],
    ["repliesCountOnce", reply({ ...refused, effects: 1 })],
    ["repliesCountOnce", reply({ records: [{ code: "not-allowed" }] })],
    ["refusedRepliesAreAnswered", reply(refused)],
  ])("reports a violation of %s", (rule, change) => {
    expect(findBroken(change)).toContain(rule);
  });
});

describe("its judge of requests by mail", () => {
  const confirmed: MailRequestHistory = {
    id: "request_1",
    by: "ana",
    course: "confirmed",
    name: "confirmed-p0",
    prefix: "p0",
    state: "closed",
    code: null,
    call: "c1",
    confirmations: [null, "request-used"],
    plans: 1,
    effects: 1,
    hasCrash: false,
  };
  const ignored: MailRequestHistory = {
    ...confirmed,
    ...({ id: "request_2", course: "ignored", name: "ignored-p0", code: "expired", call: null } as const),
    ...{ confirmations: [], plans: 0, effects: 0 },
  };
  const to = "ana@lab.test";
  const [plan, outcome, refusal, other] = [
    { to, notice: "request_1_1", at: 1 },
    { to, notice: "request_1_outcome", at: 2 },
    { to, notice: "reply_1", thread: "request_1_1", at: 3 },
    { to, notice: "request_2_1", at: 4 },
  ];
  const mails = [plan, outcome, refusal, other];
  const findBroken = (
    change: Partial<MailRequestHistory>,
    { sent = confirmed, received = mails }: { sent?: MailRequestHistory; received?: typeof mails } = {},
  ) => {
    const requests = [confirmed, ignored].map((one) => (one === sent ? { ...one, ...change } : one));
    return judgeMailRequests({ requests, mails: received }).map(({ rule }) => rule);
  };

  it("accepts an honest history, and an answer that a crash repeated", () => {
    expect(findBroken({})).toEqual([]);
    expect(findBroken({ hasCrash: true }, { received: [plan, ...mails] })).toEqual([]);
  });

  it.each<[string, ...Parameters<typeof findBroken>]>([
    ["mailRequestsEnd", { state: "plan" }],
    ["mailRequestsEnd", { call: null }],
    ["mailRequestsEnd", { code: "request-failed" }],
    ["mailRequestsEnd", { call: "c2" }, { sent: ignored }],
    ["confirmedPlansHappenOnce", { plans: 2 }],
    ["confirmedPlansHappenOnce", { effects: 2 }],
    ["confirmedPlansHappenOnce", { plans: 0, effects: 0 }],
    ["confirmedPlansHappenOnce", { plans: 1, effects: 1 }, { sent: ignored }],
    ["confirmationsCountOnce", { confirmations: [null, null] }],
    ["confirmationsCountOnce", { confirmations: ["request-used", "request-used"] }],
    ["confirmationsCountOnce", {}, { received: [plan, outcome, other] }],
    ["answersArrive", {}, { received: [plan, refusal, other] }],
    ["answersRepeatOnlyAfterCrash", {}, { received: [plan, ...mails] }],
    ["answersRepeatOnlyAfterCrash", { hasCrash: true }, { received: [plan, plan, ...mails] }],
    ["answersBelongToRequests", {}, { received: [...mails, { to, notice: "request_2_2", at: 5 }] }],
    ["answersBelongToRequests", {}, { received: [...mails, { ...plan, to: "bo@lab.test" }] }],
  ])("reports a violation of %s", (rule, change, where) => {
    expect(findBroken(change, where)).toContain(rule);
  });
});
