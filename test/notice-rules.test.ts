import { describe, expect, it } from "vitest";
import { judgeNotices, type MailHistory } from "../lab/channels/judge.ts";
import type { NoticeRow } from "../lab/channels/notices.ts";

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
  reported: 0,
};

const findBroken = (change: Partial<MailHistory>) =>
  judgeNotices({ ...honest, ...change }).map(({ rule }) => rule);
const alter = (change: Partial<NoticeRow>) => ({ notices: [{ ...request, ...change }, outcome] });

describe("the judge of the experiment `channels`", () => {
  it("accepts an honest history, and a repeated mail with the same id", () => {
    expect(findBroken({})).toEqual([]);
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
  ])("reports a violation of %s", (rule, change) => {
    expect(findBroken(change)).toContain(rule);
  });
});
