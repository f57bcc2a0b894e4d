import { describe, expect, it } from "vitest";
import { judgeNotices, type MailHistory } from "../lab/channels/judge.ts";
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
