import { expect, it } from "vitest";
import { createPlainPaint } from "../../../testing/captured-output.ts";
import type { BacktestResultView, ExplanationView, PolicyReportView } from "../../api/policy-views.ts";
import { measureWidth } from "../../terminal/width.ts";
import { formatBacktest, formatProgressBar } from "./policy-backtest.ts";
import { formatExplanation } from "./policy-explanation.ts";
import { formatPolicyReport } from "./policy-report.ts";

const [since, until] = ["2026-02-01T00:00:00.000Z", "2026-03-01T00:00:00.000Z"];

const result: BacktestResultView = {
  kind: "result",
  version: "1f0c88ab04d29e71".padEnd(64, "0"),
  since,
  until,
  calls: 28_712,
  evaluated: 28_700,
  changed: 231,
  unpreviewed: 4,
  byRuling: [
    { was: "allow", wouldBe: "ask", calls: 231, otherPolicies: 231, otherApprovers: 0 },
    { was: "allow", wouldBe: "allow", calls: 28_000, otherPolicies: 0, otherApprovers: 0 },
    { was: "ask", wouldBe: "ask", calls: 469, otherPolicies: 12, otherApprovers: 0 },
  ],
  byPolicy: [{ policy: "refunds-over-100", wouldBe: "ask", calls: 231 }],
  notEvaluated: { erased: 9, "contract-changed": 3 },
  differences: Array.from({ length: 2 }, (_, index) => ({
    call: `call_01k2m4x7p9q3r5s7t9v1w3x5y${index}`,
    capability: "billing.refund_everything_at_once",
    was: "allow",
    wouldBe: "ask",
    policies: ["refunds-over-100", "and-another\u202epolicy"],
  })),
};

it("shows the changed rulings of a backtest, their policies and calls, and the calls that were not evaluated", () => {
  expect(formatBacktest(result, createPlainPaint())).toMatchInlineSnapshot(`
    "28,712 calls  since 2026-02-01 00:00:00 UTC, candidate 1f0c88ab04d29e71
    231 of 28,700 evaluated calls would have a different ruling.
      9 calls not evaluated: their payloads were erased
      3 calls not evaluated: the capability's contract has changed since the call
      4 calls evaluated without a preview, because policy refused them earlier

    WAS    WOULD BE   CALLS
    allow  allow     28,000
    allow  ask          231
    ask    ask          469  12 of them by other policies

    CHANGED BY POLICY  WOULD BE  CALLS
    refunds-over-100   ask         231

    CALL                             CAPABILITY                         WAS    WOULD BE  BY
    call_01k2m4x7p9q3r5s7t9v1w3x5y0  billing.refund_everything_at_once  allow  ask       refunds-over-100, and-another<U+202E>policy
    call_01k2m4x7p9q3r5s7t9v1w3x5y1  billing.refund_everything_at_once  allow  ask       refunds-over-100, and-another<U+202E>policy
    Older calls not shown: 229. Raise \`--limit\` to see them."
  `);
});

it("shows a call for which other people would be asked, although the ruling is the same", () => {
  const [first] = result.differences;
  const text = formatBacktest(
    {
      ...result,
      changed: 1,
      byRuling: [{ was: "ask", wouldBe: "ask", calls: 5, otherPolicies: 5, otherApprovers: 1 }],
      differences: [
        {
          ...first!,
          was: "ask",
          approvers: { was: [{ quorum: 1 }], wouldBe: [{ quorum: 2, group: "finance" }] },
        },
      ],
    },
    createPlainPaint(),
  );
  expect(text).toContain(
    "1 of 28,700 evaluated calls would have a different ruling or need other approvals.",
  );
  expect(text).toContain("1 of them with other approvals");
  expect(text).toMatch(/ask one person {2}ask 2 people of finance/);
});

it("fits into 80 and 120 columns, and prints invisible characters as code points", () => {
  for (const width of [80, 120]) {
    const lines = formatBacktest(result, createPlainPaint(width)).split("\n");
    expect(lines.filter((line) => measureWidth(line) > width)).toEqual([]);
  }
  expect(formatBacktest(result, createPlainPaint())).toContain("<U+202E>");
});

it("draws a progress bar with the percentage, the counts and the time left", () => {
  expect(formatProgressBar({ done: 0, total: 28_700 }, 0, createPlainPaint())).toBe(
    `${"░".repeat(24)} 0 %  0 of 28,700 calls`,
  );
  expect(formatProgressBar({ done: 7_175, total: 28_700 }, 5_000, createPlainPaint())).toBe(
    `${"█".repeat(6)}${"░".repeat(18)} 25 %  7,175 of 28,700 calls, 15 s left`,
  );
  expect(formatProgressBar({ done: 0, total: 0 }, 1, createPlainPaint())).toBe(
    `${"█".repeat(24)} 100 %  0 of 0 calls`,
  );
});

const report: PolicyReportView = {
  since,
  until,
  calls: 2_431,
  enforced: 0,
  rulings: { allow: 2_300, check: 12, ask: 110, block: 9 },
  byPolicy: [{ policy: "unattended-writes-need-a-person", ruling: "ask", calls: 110 }],
  byCapability: [{ capability: "files.write", ruling: "ask", calls: 110 }],
  shadow: { calls: 3, byPolicy: [{ policy: "soon", ruling: "block", calls: 3 }] },
};

it("states whether rulings were applied or, in observe mode, only recorded", () => {
  const text = formatPolicyReport(report, createPlainPaint());
  expect(text).toContain("110  asked about 4.5 %");
  expect(text).toContain("Observe mode: these rulings were recorded and not applied.");
  expect(text).toContain("Shadow policies would have ruled differently on 3 calls:");
  expect(formatPolicyReport({ ...report, enforced: 131 }, createPlainPaint())).toContain(
    "All rulings were applied.",
  );
  expect(formatPolicyReport({ ...report, enforced: 100 }, createPlainPaint())).toContain(
    "Paraph applied the rulings to 100 calls and only recorded them for 31.",
  );
});

it("explains which evidence satisfied which policy, the observed and shadow rulings, and the facts policy used", () => {
  const explained: ExplanationView = {
    call: "call_1",
    capability: "bank.pay",
    rulings: [
      {
        at: since,
        moment: "revalidation",
        ruling: "allow",
        version: "v",
        inForce: false,
        policies: [{ id: "payments-are-permitted" }],
        sentence: "Payments are permitted.",
        satisfied: [
          { policy: "large", by: "people", who: ["bo", "cy"] },
          { policy: "no-secrets", by: "checks", who: ["check.secrets"] },
          { policy: "often", by: "grant", who: ["grant_1"] },
        ],
        unmet: [],
        asked: {
          principal: { id: "bot", kind: "agent", owner: "ana", onBehalfOf: "cy", groups: ["robots"] },
          preview: true,
          env: {
            at: Date.parse(since),
            callsLastHour: 1,
            callsLastDay: 1_200,
            spentToday: 30,
            deniedLastHour: 2,
          },
        },
        observed: { kind: "block", code: "forbidden", policies: ["never"] },
        shadow: { kind: "ask", policies: ["soon"] },
      },
    ],
  };
  expect(formatExplanation(explained, createPlainPaint())).toMatchInlineSnapshot(`
    "bank.pay  call_1

    allow  at revalidation, 2026-02-01 00:00:00 UTC
      by          payments-are-permitted
      because     Payments are permitted.
      satisfied   large, by bo, cy
                  no-secrets, because check.secrets passed
                  often, by the grant grant_1
      observed    only recorded: the ruling would have been block (forbidden) by never
      in shadow   the ruling would have been ask by soon
      facts       bot (agent of ana), for cy, in robots, with the preview
                  1 call in an hour, 1,200 in a day, 30 spent today, 2 denied in an hour, at 2026-02-01 00:00:00 UTC
      policy set  earlier, no longer in force"
  `);
});
