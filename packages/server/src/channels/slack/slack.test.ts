import { describe, expect, it } from "vitest";
import type { CallContent } from "../notice-content.ts";
import { canApproveInSlack, composeCall } from "./compose-message.ts";
import { isSignedBySlack } from "./signature.ts";
import { type SlackOptions, slack } from "./slack.ts";

const valid: SlackOptions = { secret: "slack-bot", appSecret: "slack-app" };

it.each([
  [{ ...valid, signingSecret: "s" }, "needs either `appSecret`"],
  [{ secret: "slack-bot" }, "needs either `appSecret`"],
  [{ ...valid, channel: "C0123" }, "`channel` and `tenant` belong together"],
  [{ ...valid, channel: "#refunds", tenant: "acme" }, "and not its name"],
  [{ ...valid, url: "http://slack.example.com/api/" }, "`https` address"],
  [{ ...valid, url: "https://user:pass@slack.com/api/" }, "`https` address"],
  [{ ...valid, token: "xoxb-1" }, "token"],
])("reports the fault of %j", (options, words) => {
  expect(slack(valid).faults).toEqual([]);
  expect(JSON.stringify(slack(options as SlackOptions).faults)).toContain(words);
});

it("[TRUST 4] verifies the example of Slack's documentation, within five minutes", () => {
  const headers: Record<string, string> = {
    "x-slack-request-timestamp": "1531420618",
    "x-slack-signature": "v0=a2114d57b48eac39b9ad189dd8316235a7b4a8d21a10bd27519666489c69b503",
  };
  const body =
    "token=xyzz0WbapA4vBCDEFasx0q6G&team_id=T1DC2JH3J&team_domain=testteamnow&channel_id=G8PSS9T3V&channel_name=foobar&user_id=U2CERLKJA&user_name=roadrunner&command=%2Fwebhook-collect&text=&response_url=https%3A%2F%2Fhooks.slack.com%2Fcommands%2FT1DC2JH3J%2F397700885554%2F96rGlfmibIGlgcZRskXaIFfN&trigger_id=398738663015.47445629121.803a0bc887a14d10d2c447fce8b6703c";
  const request = { header: (name: string) => headers[name], body };
  const secret = "8f742231b10e8888abcd99yyyzzz85a5";
  const at = 1531420618_000;
  expect(isSignedBySlack(request, secret, at)).toBe(true);
  expect(isSignedBySlack(request, secret, at + 301_000)).toBe(false);
  expect(isSignedBySlack(request, secret, at - 301_000)).toBe(false);
  expect(isSignedBySlack({ ...request, body: `${body}&` }, secret, at)).toBe(false);
});

describe("[TRUST 6] a message offers to approve only if it shows everything", () => {
  const change = { kind: "update", target: "order 7", diff: "-open\n+paid\n" } as const;
  const content = {
    kind: "request",
    headline: "Refund order 7",
    capability: "billing.refund",
    requester: { id: "bot", kind: "agent" },
    guards: [],
    changes: [change],
    previewed: true,
    masked: 0,
    checks: [],
    approval: "ask_1",
    chatApprovable: true,
    round: 1,
    digest: "0".repeat(64),
    expiresAt: 7_200_000,
    now: 0,
    acknowledgedBy: [],
    status: "open",
    votes: [],
    links: { page: "https://p.example.com/approvals/ask_1", preferences: "https://p.example.com/n" },
  } as const satisfies CallContent;

  it.each<[string, Partial<CallContent>]>([
    ["no right to approve in a chat", { chatApprovable: false }],
    ["a hidden field", { masked: 1 }],
    ["no preview", { previewed: false }],
    ["no change", { changes: [] }],
    ["details that only the page shows", { changes: [{ ...change, details: { rows: 2 } }] }],
    ["a long change", { changes: [{ ...change, diff: "x".repeat(2_801) }] }],
    ["many changes", { changes: Array.from({ length: 300 }, () => change) }],
    ["hidden characters that need much room", { changes: [{ ...change, diff: "\u200b".repeat(500) }] }],
    ["a long headline", { headline: "x".repeat(201) }],
  ])("%s", (_, more) => {
    expect(canApproveInSlack(content)).toBe(true);
    expect(canApproveInSlack({ ...content, ...more })).toBe(false);
    expect(JSON.stringify(composeCall({ ...content, ...more }, "acme"))).not.toContain('"approve"');
  });
});
