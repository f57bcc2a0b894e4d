import { expect, it } from "vitest";
import { captureOutput, createPlainPaint } from "../../testing/captured-output.ts";
import type { RoundView } from "../api/api-views.ts";
import { formatApproval } from "./approval.ts";

const round: RoundView = {
  kind: "round",
  approval: "ask_1",
  call: "call_1",
  round: 1,
  status: "open",
  digest: "d",
  fingerprint: "f",
  expiresAt: "2026-03-08T09:00:00.000Z",
  headline: "Pay €5.00 to cy",
  capability: "bank.pay",
  contract: { version: 1, summary: "Pay", effect: "write", risk: "medium" },
  principal: { id: "bot", kind: "agent", owner: "ana", onBehalfOf: "cy\u202e" },
  input: { to: "x" },
  previewed: true,
  preview: {
    basis: null,
    changes: [
      { kind: "update", target: "account", diff: "-1\n+2", details: { fee: "9,999 \u001b[2K" } },
      { kind: "create", target: "note" },
    ],
  },
  purpose: { text: "a refund" },
  guards: [{ id: "money", sentence: "Money moves.", quorum: 2, group: "finance" }],
  votes: [],
  checks: [],
  notUndone: [],
  masked: [],
  editedBy: "mal\u200b",
};

it("[TRUST 28] [TRUST 6] the CLI shows the editor, whom the agent acts for, the deciding group and every detail", () => {
  const text = formatApproval(round, createPlainPaint(), { now: 0, whole: false });
  expect(text).toContain("mal<U+200B>, who wrote the current input");
  expect(text).toContain("bot (agent), for cy<U+202E>, owner ana");
  expect(text).toContain("policy money, 2 people of finance");
  expect(text).toContain("│ +2");
  const compressedState = { text: "2 of 3 done\n\u001b[2K" };
  const stated = formatApproval({ ...round, compressedState }, createPlainPaint(), { now: 0, whole: false });
  expect(stated).toMatch(/state \(unchecked\)\n.*2 of 3 done\n.*<U\+001B>\[2K\n/);
  expect(text).toContain('│   "fee": "9,999 \\u001b[2K"');
  expect(text).not.toContain("\u001b");
});

it("a terminal with colours shows the changes without an escaped colour code", () => {
  const { output, written } = captureOutput({ tty: true });
  output.data(formatApproval(round, output.paint, { now: 0, whole: true }));
  expect(written.stdout).not.toContain("<U+001B>");
});

it("shows a small input beside the changes, and names the command for a large one", () => {
  const show = (input: RoundView["input"]) =>
    formatApproval({ ...round, ...(input !== undefined && { input }) }, createPlainPaint(), {
      now: 0,
      whole: false,
    });
  expect(show({ to: "x" })).toMatch(/the whole input\n {2}│ \{\n {2}│ {3}"to": "x"\n {2}│ \}/);
  for (const large of [{ to: Array(10).fill("x") }, { to: "x".repeat(1_000) }]) {
    expect(show(large)).not.toContain("the whole input\n");
    expect(show(large)).toMatch(/To see the whole input, run: (npx )?paraph approval ask_1/);
  }
});
