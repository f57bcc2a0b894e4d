import { expect, it } from "vitest";
import {
  filterByClass,
  parseElements,
  readAttribute,
  readText,
} from "../../../../../test/support/web/dom.ts";
import { parseDiff } from "../html/diff.ts";
import { renderTable } from "../html/values.ts";
import type { ApprovalPage } from "../page-data/approval-types.ts";
import { renderChanges } from "../sections/change-list.ts";
import { inboxSample } from "../testing/list-samples.ts";
import {
  answeredSample,
  choiceSample,
  fileChangeSample,
  openedRefundSample,
  querySample,
  refundSample,
} from "../testing/samples.ts";
import { renderApprovalPage } from "./approval-page.ts";
import { renderInboxPage } from "./inbox-page.ts";

const readWords = (page: ApprovalPage) => readText(renderApprovalPage(page)).replace(/\s+/g, " ");
const listButtons = (page: ApprovalPage) =>
  parseElements(renderApprovalPage(page))
    .filter(({ tagName, attrs }) => tagName === "button" || attrs.some(({ value }) => value === "button"))
    .map((element) => readText(element));
const readStatusText = (page: ApprovalPage) =>
  readText(filterByClass(parseElements(renderApprovalPage(page)), "standing")[0]!).trim();

it("shows the capability, requester, owner, policy, purpose, votes needed, expiry and fingerprint", () => {
  const words = readWords(openedRefundSample);
  expect(words).toContain("Refund €12.50 to Jon Ash high risk Write billing.refund");
  expect(words).toContain("Requested by support-bot (agent) on behalf of carla. Owner: ana.");
  expect(words).toContain("Refunds above 10 € need a person of support. policy refunds-above-10");
  expect(words).toContain("0 of 1 approval from support");
  expect(words).toContain("Refund 12.50 € of 49.00 €");
  expect(words).toContain("Purpose given by the requester (not verified) The customer returned the lamp.");
  expect(words).toContain("Passed fraud.score 91 of 100");
  expect(words).toContain("41 succeeded, 1 failed and 2 denied by approvers.Last denied 4 days ago");
  expect(words).toContain("Requested2 min ago Sun, 1 Mar 2026, 09:30 UTC");
  expect(words).toContain("Expiresin 3 h 58 min Sun, 1 Mar 2026, 13:30 UTC");
  expect(words).toContain("Fingerprint1f0c 88ab 04d2 9e71");
  expect(words).toContain("Sensitive fields, shown as •••: payment. Paraph records each reveal.");
});

it("shows the requester's state as unverified, and escapes it", () => {
  const compressedState = "2 of 3 done \u202e<b>approve</b>";
  const words = readWords({ ...openedRefundSample, compressedState });
  expect(words).toContain("State given by the requester (not verified) 2 of 3 done <U+202E><b>approve</b>");
  expect(readWords(openedRefundSample)).not.toContain("State given by the requester");
});

it("counts refused calls of the history without naming policy as the cause", () => {
  const history = { outcomes: { succeeded: 1, refused: 3 } };
  expect(readWords({ ...openedRefundSample, history })).toContain("1 succeeded and 3 refused.");
});

it("leaves out the basis of a preview that has none", () => {
  const { preview } = openedRefundSample;
  if (typeof preview !== "object") throw new Error("The sample has no preview.");
  expect(readWords(openedRefundSample)).toContain("Basis of the preview");
  const words = readWords({ ...openedRefundSample, preview: { ...preview, basis: null } });
  expect(words).toContain("Full input");
  expect(words).not.toContain("Basis of the preview");
});

it("shows the strictest policy, and collapses the others", () => {
  const guard = openedRefundSample.guards[0]!;
  const guards = [guard, { ...guard, id: "two-people", quorum: 2, sentence: "Two people approve this." }];
  const page = parseElements(renderApprovalPage({ ...openedRefundSample, guards }));
  const [shown, collapsed] = filterByClass(page, "why").map(readText);
  expect(shown).toContain("Two people approve this.");
  expect(shown).not.toContain(guard.sentence);
  expect(collapsed).toContain("One more policy asks");
  expect(collapsed).toContain(guard.sentence);
  expect(readStatusText({ ...openedRefundSample, guards })).toContain("0 of 2 approvals");
});

const back = "Return with instructions";

it("[TRUST 6] until a high-risk call is opened, the page offers only to deny it, return it or show its changes", () => {
  expect(listButtons(refundSample)).toEqual(["Show what will change", back, "Deny request"]);
  expect(readWords(refundSample)).not.toContain("partly refunded");
  expect(listButtons(openedRefundSample)).toEqual([
    "Reveal sensitive fields",
    back,
    "Deny request",
    "Approve request",
  ]);
  expect(readWords(openedRefundSample)).toContain("partly refunded");
  const folds = parseElements(renderApprovalPage(openedRefundSample)).filter(
    ({ tagName }) => tagName === "details",
  );
  expect(folds.filter((fold) => readAttribute(fold, "open") === undefined).map(readText)).toEqual([
    expect.stringContaining("Add reason or instructions"),
  ]);
});

it("[P5] the forms post the digest that was shown, and its proof", () => {
  const inputs = parseElements(renderApprovalPage(openedRefundSample)).filter(
    ({ tagName }) => tagName === "input",
  );
  const posted = inputs.map((input) => [readAttribute(input, "name"), readAttribute(input, "value")]);
  expect(posted).toEqual([
    ["digest", refundSample.digest],
    ["proof", "proof-of-opening"],
    ["digest", refundSample.digest],
    ["proof", "proof-of-opening"],
  ]);
});

it("without a preview, the page says so and shows every byte of the input", () => {
  const input = { command: `rm -rf ${"x".repeat(20_000)}`, hidden: "a\u202eb" };
  const page = { ...fileChangeSample, preview: "none", input } as const;
  expect(readWords(page)).toContain("There is no preview. The exact changes are unknown.");
  const shown = filterByClass(parseElements(renderApprovalPage({ ...page, purpose: "" })), "code").map(
    readText,
  );
  expect(JSON.parse(shown.slice(0, 2).join(""))).toEqual(input);
  expect(shown.join("")).toContain("a\\u202eb");
});

it("[TRUST 12] the page tells the requester and the agent's owner that another person has to decide", () => {
  const own: ApprovalPage = {
    ...refundSample,
    reader: { id: "ana", voterStatus: "own-call" },
    mustOpen: false,
    forms: {},
  };
  expect(readStatusText(own)).toBe(
    "You cannot decide this request. You can't approve your own request or your agent's. Another person has to decide, 3 h 58 min left.",
  );
  expect(listButtons(own)).toEqual([]);
});

it("every status states what happens next", () => {
  const closed = { state: "closed", forms: {}, mustOpen: false } as const;
  const own = { ...refundSample.contract!, performer: "agent" } as const;
  const by = (decision: "approve" | "deny" | "return", reason = "") =>
    [{ by: "bo", decision, as: "approver", at: refundSample.now, ...(reason && { reason }) }] as const;
  const cases: [Partial<ApprovalPage>, string][] = [
    [{}, "Waiting for your decision · 3 h 58 min left"],
    [
      { round: 2, voidCode: "basis-changed" },
      "The underlying data changed. Earlier votes no longer count. Review the new preview.",
    ],
    [{ reader: { id: "bo", voterStatus: "confirmation" } }, "Your approval counts as a confirmation"],
    [
      { reader: { id: "bo", voterStatus: "not-in-group" } },
      "Only members of support can approve it. You can deny it",
    ],
    [{ expiresAt: refundSample.now }, "This approval expired."],
    [
      { status: "expired", ...closed },
      "No decision arrived before Sun, 1 Mar 2026, 13:30 UTC. The call did not run.",
    ],
    [
      { status: "void", voidCode: "basis-changed", ...closed },
      "This approval is void. The underlying data changed. The call did not run.",
    ],
    [
      { status: "void", voidCode: "forbidden", ...closed },
      "This approval is void. A policy forbids the call, so no approval could help. The call did not run.",
    ],
    [
      { status: "denied", votes: by("deny", "no <b>"), ...closed },
      "Denied by bo. The call did not run.no <b>",
    ],
    [
      { status: "denied", votes: by("return", "less"), ...closed },
      "Returned with instructions by bo. The call did not run.less",
    ],
    [{ status: "approved", votes: by("approve"), state: "ready" }, "Approved by bo. The call is running."],
    [
      { status: "approved", votes: by("approve"), ...closed, outcome: { kind: "succeeded", code: "done" } },
      "The call succeeded.",
    ],
    [
      { status: "approved", votes: by("approve"), ...closed, outcome: { kind: "unknown", code: "lost" } },
      "A person has to check the external system.",
    ],
    [
      { status: "approved", votes: by("approve"), ...closed, outcome: { kind: "failed", code: "broken" } },
      "Outcome: failed broken.",
    ],
  ];
  for (const [more, words] of cases) expect(readStatusText({ ...refundSample, ...more })).toContain(words);
  const approved = {
    ...refundSample,
    status: "approved",
    votes: by("approve"),
    contract: own,
    forms: {},
  } as const;
  const byAgent: [Partial<ApprovalPage>, string][] = [
    [{ state: "offered" }, "Approved by bo. support-bot may perform the call now."],
    [{ state: "performing" }, "support-bot is performing the call."],
    [
      { ...closed, outcome: { kind: "succeeded", code: "done" } },
      "support-bot reported that it performed the call.",
    ],
    [
      { ...closed, outcome: { kind: "unknown", code: "x" } },
      "support-bot started the call. The outcome is unknown.",
    ],
    [{ ...closed, outcome: { kind: "expired", code: "not-claimed" } }, "Outcome: expired not-claimed."],
  ];
  for (const [more, words] of byAgent) expect(readStatusText({ ...approved, ...more })).toContain(words);
  expect(readWords({ ...refundSample, contract: own })).toContain(
    "The agent performs this call itself. Your approval allows it",
  );
  expect(readStatusText({ ...refundSample, reader: { id: "bo", voterStatus: "own-edit" } })).toContain(
    "Waiting for another approver. You edited this request",
  );
  const voted = {
    ...querySample,
    reader: { id: "dora", voterStatus: "approver" },
    forms: { deny: "p" },
  } as const;
  expect(readStatusText(voted)).toContain(
    "Waiting for one more approver, 11 min left. You can still deny it.",
  );
  expect(listButtons(voted)).toEqual([back, "Deny request"]);
});

it("each guard of an approval names its policy, and the page leads back to the list", () => {
  const page = renderApprovalPage(querySample);
  expect(readText(page).replace(/\s+/g, " ")).toContain(
    "1 of 2 approvals from dba policy many-rows-need-two-dba",
  );
  const back = parseElements(page).filter((each) => readAttribute(each, "href") === "/approvals");
  expect(back.map((each) => readText(each))).toContain("Approvals");
});

it("the status of an approved call that did not succeed is no good news", () => {
  const toneOf = (more: Partial<ApprovalPage>) => {
    const html = renderApprovalPage({ ...refundSample, status: "approved", state: "closed", ...more });
    const status = parseElements(html).find((each) => readAttribute(each, "role") === "status");
    return readAttribute(status!, "class");
  };
  const unknown = { kind: "unknown", code: "lost" } as const;
  const found = { by: "bo", how: "person" } as const;
  expect([
    toneOf({ outcome: { kind: "succeeded", code: "done" } }),
    toneOf({ outcome: unknown }),
    toneOf({ outcome: unknown, resolution: { ...found, finding: "happened" } }),
    toneOf({ outcome: unknown, resolution: { ...found, finding: "not-happened" } }),
    toneOf({ outcome: { kind: "failed", code: "broken" } }),
  ]).toEqual(["standing good", "standing bad", "standing good", "standing bad", "standing bad"]);
});

it("the page of a question has the question, its options and, once it is given, the answer", () => {
  const open = readWords(choiceSample);
  expect(open).toMatch(
    /QuestionQuestion of the requester Which colour should it be\?Why the requester asks \(not verified\)The customer did not say\. Options: “red”, “green” and “blue”\./,
  );
  expect(open).not.toContain("There is no preview.");
  expect(open).not.toContain("Answer by");
  expect(readStatusText(choiceSample)).toMatch(/^Waiting for your answer · .* · 0 of 1 answer$/);
  expect(open).toContain("Your answerchoose");
  expect(open).toContain("Votes0 of 1 answer policy capability:answer");
  const asked = { ...inboxSample.items[0]!, guards: choiceSample.guards };
  expect(readText(renderInboxPage({ ...inboxSample, items: [asked] }))).toContain("needs 1 answer");
  const answered = readWords(answeredSample);
  expect(answered).toContain("Answered by bo. The call succeeded.");
  expect(answered).toContain("Answer by bogreen");
  expect(answered).toContain("Votes1 of 1 answer policy capability:answerAnswered by bo");
  expect(readStatusText({ ...answeredSample, state: "ready", outcome: undefined as never })).toContain(
    "Answered by bo. Paraph gives the answer to",
  );
  const hostile = { ...answeredSample, answer: "<b>Paraph</b>\u202e" };
  const quotations = filterByClass(parseElements(renderApprovalPage(hostile)), "words");
  expect(quotations.map((each) => readText(each))).toEqual(["<b>Paraph</b><U+202E>"]);
  const confirmation = { ...choiceSample.answerRequest, kind: "confirm" } as const;
  expect(readWords({ ...answeredSample, answerRequest: confirmation, answer: false })).toContain(
    "Answer by boNo",
  );
});

it("the words of voters and editors are quotations beside their names", () => {
  const votes = [
    { ...querySample.votes[0]!, reason: "Checked with <b>billing</b>.\u202e" },
    { by: "bo", decision: "approve", as: "approver", at: querySample.now, reason: "Fine." },
  ] as const;
  const page = renderApprovalPage({
    ...querySample,
    votes,
    editedBy: "ana",
    editReason: "Only sessions older than 90 days.",
  });
  const quotations = filterByClass(parseElements(page), "words");
  expect(quotations.map((each) => [each.tagName, readText(each)])).toEqual([
    ["blockquote", "Only sessions older than 90 days."],
    ["blockquote", "Checked with <b>billing</b>.<U+202E>"],
    ["blockquote", "Fine."],
  ]);
  const words = readText(page).replace(/\s+/g, " ");
  expect(words).toContain("ana edited the input.Only sessions older than 90 days.");
  expect(words).toMatch(/Approved by dora .*?Checked with .*?Approved by bo .*?Fine\./);
});

it("the page of a closed call links to its receipt", () => {
  const links = (page: ApprovalPage) =>
    parseElements(renderApprovalPage(page)).flatMap((element) => readAttribute(element, "href") ?? []);
  expect(links({ ...fileChangeSample, status: "approved", state: "closed", forms: {} })).toContain(
    "/calls/call_01k2m4x7p9/receipt",
  );
  expect(links(fileChangeSample)).not.toContain("/calls/call_01k2m4x7p9/receipt");
});

it("the page reports a missing contract, an erased input, a hidden preview and an empty preview", () => {
  const { contract: _gone, ...bare } = fileChangeSample;
  expect(readWords({ ...bare, preview: "none" })).toContain("The contract is missing.");
  expect(readWords({ ...fileChangeSample, preview: "hidden" })).toContain("The preview is hidden from you.");
  const { input: _erased, ...erased } = fileChangeSample;
  expect(readWords({ ...erased, preview: "none" })).toContain("The input was erased.");
  const erasure = { at: Date.UTC(2026, 2, 1, 13, 30), reason: "request 12" };
  expect(readWords({ ...erased, preview: "none", erased: erasure })).toContain(
    "Erased on Sun, 1 Mar 2026, 13:30 UTC: request 12",
  );
  expect(readWords({ ...fileChangeSample, preview: { changes: [], basis: null } })).toContain(
    "The preview shows no changes.",
  );
});

it("a diff line is classified by the line counts of its hunk, not by its prefix alone", () => {
  const diff = "--- a\n+++ b\n@@ -1,2 +1,2 @@\n--- an SQL comment\n+++ another\n same\n--- next\n";
  expect(parseDiff(diff).map(({ kind, text }) => [kind, text])).toEqual([
    ["head", "--- a\n+++ b\n"],
    ["hunk", "@@ -1,2 +1,2 @@\n"],
    ["del", "--- an SQL comment\n"],
    ["add", "+++ another\n"],
    ["plain", " same\n"],
    ["head", "--- next\n"],
  ]);
});

it("details are rendered as a table, and a list of similar rows as a nested table", () => {
  const elements = parseElements(
    renderTable(
      {
        rows: 2,
        sample: [
          { id: 1, who: "a" },
          { id: 2, who: "b" },
        ],
      },
      false,
    ).text,
  );
  const heads = elements.filter(({ tagName }) => tagName === "th").map((head) => readText(head));
  expect(heads).toEqual(["rows", "sample", "id", "who"]);
});

it("a value before and after a change is shown as both values, not as JSON", () => {
  const details = { version: { before: 3, after: 4 }, owner: { before: null, after: "<b>bo</b>\u202e" } };
  const table = parseElements(renderTable(details, false).text);
  const rows = filterByClass(table, "compared").map((each) => readText(each));
  expect(rows).toEqual(["Before3After4", "BeforenoneAfter<b>bo</b><U+202E>"]);
  const whole = { before: { plan: "free" }, after: { plan: "team", note: { before: 1 } } };
  const text = readText(renderTable(whole, false).text);
  expect(text).toMatch(/^Before\{\s+"plan": "free"\s+\}After\{\s+"plan": "team"/);
  expect(readText(renderTable({ change: { before: 1, after: 2, by: "bo" } }, false).text)).toContain(
    '"before": 1',
  );
});

it("the details say when an approval expires or expired, and nothing of it once it is decided", () => {
  expect(readWords({ ...refundSample, status: "expired", expiresAt: refundSample.now - 60_000 })).toContain(
    "Expired1 min ago Sun, 1 Mar 2026, 09:31 UTC",
  );
  expect(readWords({ ...refundSample, status: "approved", forms: {} })).not.toMatch(/Expire[sd]/);
});

it("the page contains all 500 changes, and folds 480 of them unless it is opened", () => {
  const changes = Array.from(
    { length: 500 },
    (_, index) => ({ kind: "create", target: `file-${index}` }) as const,
  );
  const folded = parseElements(renderChanges(changes, false).text);
  expect(folded.filter(({ tagName }) => tagName === "li")).toHaveLength(500);
  expect(readText(folded.find(({ tagName }) => tagName === "summary")!)).toBe("Show the other 480 changes");
  expect(parseElements(renderChanges(changes, true).text).some(({ tagName }) => tagName === "details")).toBe(
    false,
  );
});

it("the inbox separates approvals for the reader from those for others, and states if it is empty", () => {
  const words = readText(renderInboxPage(inboxSample)).replace(/\s+/g, " ");
  expect(words).toMatch(
    /Waiting for you .*11 min left.*3 h 58 min left.*23 h 40 min left.*Waiting for others .*your own or your agent's request.*another group decides/,
  );
  const empty = readText(renderInboxPage({ now: 0, reader: "bo", items: [] }));
  expect(empty).toContain("No approvals wait for you");
  const more = renderInboxPage({ ...inboxSample, next: "1.ask_1" });
  expect(parseElements(more).some((link) => readAttribute(link, "href") === "/approvals?after=1.ask_1")).toBe(
    true,
  );
});
