import { defineCapability, type Principal } from "@paraph/core";
import { afterAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { eventually } from "../../../../../test/support/eventually.ts";
import { ResendServer } from "../../../../../test/support/resend-server.ts";
import { TestParaph } from "../../../../../test/support/servers/test-paraph.ts";
import { handleByWebhook } from "./in/resend-webhook.ts";
import { replyAddress, resolveDns, writeMail } from "./in/testing/draft.ts";
import { mail } from "./mail.ts";

const tenant = "acme";
const person = (id: string): Principal => ({ tenant, id, kind: "person", groups: ["finance"] });
const define = (name: string) =>
  defineCapability({
    name,
    version: 1,
    summary: "Refund a customer",
    effect: "write",
    risk: "low",
    idempotency: "natural",
    input: z.object({ customer: z.string() }),
    output: z.object({}),
    preview: async ({ customer }) => ({ changes: [{ kind: "update", target: customer }], basis: null }),
    apply: async () => ({}),
  });

const resend = await new ResendServer().start();
const options = {
  from: "paraph@paraph.example",
  resend: { secret: "resend", url: resend.url },
  replies: {
    address: replyAddress,
    resend: { secret: "resend", webhookSecret: "resend-webhook", url: resend.url },
  },
};
const paraph = await TestParaph.start(
  {
    policy: "permissive",
    capabilities: [define("billing.refund"), define("billing.return")],
    rules: [
      { capability: "billing.refund", ask: "finance", reply: "approve" },
      { capability: "billing.return", ask: "finance", reply: "approve" },
    ],
    channels: [{ ...mail(options), inbound: handleByWebhook(options, resolveDns) }],
  },
  [person("ana"), person("bo"), { tenant, id: "bot", kind: "agent", owner: "bo" }],
  { "deployment/resend": resend.apiKey, "deployment/resend-webhook": resend.webhookSecret },
);
afterAll(async () => {
  await paraph.stop();
  await resend.stop();
});
await paraph.database.query(
  "select paraph.contact_set('acme', 'ana', 'mail', 'ana@example.com', 'administration')",
);

let asked = 0;
async function ask(capability = "billing.refund") {
  const { body } = await paraph.request("bot", "POST", "/v1/calls", {
    capability,
    input: { customer: `c-${++asked}` },
  });
  const [call, approval] = [body.call as string, body.approval.id as string];
  const [notice] = await resend.waitForCount(1, approval);
  const token = /\+([a-z2-7]{32})@/.exec(notice!.reply_to ?? "")?.[1] ?? "";
  return { call, approval, token, notice: notice! };
}
const post = async ({ headers, body }: { headers: Record<string, string>; body: string }) => {
  const response = await fetch(`${paraph.url}/mail/received`, { method: "POST", headers, body });
  return { status: response.status, text: await response.text() };
};
const listReplies = (call: string) =>
  paraph.database.query("select wish, state, code from paraph.reply where call = $1 order by at", [call]);
const listVotes = async (call: string) =>
  (
    await paraph.database.query("select data from paraph.event where call = $1 and kind = 'voted'", [call])
  ).map(({ data }) => data as Record<string, unknown>);
const readNotice = async (call: string) =>
  (
    await paraph.database.query(
      "select state, code, attempts, provider_id from paraph.notice where call = $1 order by seq limit 1",
      [call],
    )
  )[0];

describe("a mail through Resend", () => {
  it("carries the headers of a thread, and its outcome refers to it", async () => {
    const { approval, notice } = await ask();
    expect(notice).toMatchObject({ from: '"Paraph" <paraph@paraph.example>', to: ["ana@example.com"] });
    expect(notice.headers).toMatchObject({ "Auto-Submitted": "auto-generated" });
    expect(notice.headers.References).toBe(notice.headers["Message-ID"]);
    const { digest } = (await paraph.request("ana", "GET", `/v1/approvals/${approval}`)).body;
    await paraph.request("ana", "POST", `/v1/approvals/${approval}/decision`, { decision: "deny", digest });
    const [, outcome] = await resend.waitForCount(2, approval);
    expect(outcome!.subject).toBe(`Re: ${notice.subject}`);
    expect(outcome!.headers).toMatchObject({
      References: notice.headers["Message-ID"],
      "In-Reply-To": notice.headers["Message-ID"],
    });
  });

  it("is repeated after a rate limit and an outage", async () => {
    resend.refusals.push({ status: 429, name: "rate_limit_exceeded" });
    resend.refusals.push({ status: 503, name: "service_unavailable" });
    const { call } = await ask();
    await eventually(async () =>
      expect(await readNotice(call)).toMatchObject({ state: "sent", attempts: 3 }),
    );
  });

  it("[TRUST 4] is sent once, although the answer to its first attempt was lost", async () => {
    resend.losesAnswer = true;
    const { call, approval } = await ask();
    await eventually(async () =>
      expect(await readNotice(call)).toMatchObject({
        state: "sent",
        attempts: 2,
        provider_id: "resend-earlier-attempt",
      }),
    );
    expect(resend.sent.filter(({ text }) => text.includes(approval)).length).toBe(1);
  });

  it("is given up if Resend rejects its content, and says which error repeats it", async () => {
    const tell = (status: number, name: string) => {
      resend.refusals.push({ status, name });
      const channel = mail(options).open({
        credential: async () => resend.apiKey,
        folder: "/",
        devices: {} as never,
      });
      const links = { page: "https://paraph.example/approvals", preferences: "https://paraph.example/n" };
      const content = { kind: "summary", waiting: 1, ended: 0, links } as const;
      const message = { id: `notice_${name}`, tenant, address: "ana@example.com", content };
      return channel.tell(message, new AbortController().signal).finally(() => channel.close());
    };
    const failed = (code: string, permanent: boolean) => ({ kind: "failed", code, permanent });
    expect(await tell(422, "missing_required_field")).toEqual(failed("resend-http-422", true));
    expect(await tell(403, "validation_error")).toEqual(failed("resend-validation-error", false));
    expect(await tell(401, "restricted_api_key")).toEqual(failed("resend-restricted-api-key", false));
  });
});

// After five requests for one capability within a minute, approvers get a summary.
describe("a reply through Resend", () => {
  it("[TRUST 3] approves if Paraph finds its signature valid, once, however often the webhook comes", async () => {
    const { call, token } = await ask("billing.return");
    const webhook = resend.receive(await writeMail({ token, text: "approve" }));
    expect(await Promise.all([webhook, webhook, webhook].map(post))).toEqual(
      Array(3).fill({ status: 200, text: "" }),
    );
    expect(await listReplies(call)).toEqual([{ wish: "approve", state: "done", code: null }]);
    expect(await listVotes(call)).toMatchObject([{ by: "ana", decision: "approve", via: "mail" }]);
  });

  it("[TRUST 3] decides nothing without a valid signature, although Resend calls it valid", async () => {
    const { call, approval, token } = await ask("billing.return");
    expect(
      await post(resend.receive(await writeMail({ token, text: "approve", sign: false }))),
    ).toMatchObject({
      status: 200,
    });
    expect(await listReplies(call)).toEqual([{ wish: "none", state: "done", code: "not-signed" }]);
    expect(await listVotes(call)).toEqual([]);
    const [, answer] = await resend.waitForCount(2, approval);
    expect(answer!.text).toContain("Your reply had no effect");
  });

  it("[TRUST 4] has no effect if its webhook is changed, unsigned, signed by another key or old", async () => {
    const { call, token } = await ask("billing.return");
    const mailText = await writeMail({ token, text: "approve" });
    const webhook = resend.receive(mailText);
    const other = resend.receive(mailText);
    const { "svix-signature": signature = "", ...unsigned } = webhook.headers;
    const past = resend.receive(mailText, new Date(Date.now() - 600_000));
    const forged = [
      { ...webhook, body: webhook.body.replace("approve", "Approve") },
      { ...webhook, body: other.body },
      { ...webhook, headers: unsigned },
      { ...webhook, headers: { ...webhook.headers, "svix-signature": signature.replace("v1,", "v2,") } },
      { ...webhook, headers: { ...webhook.headers, "svix-signature": "v1,AAAA" } },
      { ...webhook, headers: { ...webhook.headers, "svix-id": "msg_other" } },
      { ...webhook, headers: { ...webhook.headers, "svix-timestamp": past.headers["svix-timestamp"]! } },
      { ...webhook, headers: { ...webhook.headers, "svix-timestamp": "soon" } },
      past,
    ];
    for (const each of forged) expect(await post(each)).toEqual({ status: 401, text: "" });
    expect(await listReplies(call)).toEqual([]);
    expect((await post(webhook)).status).toBe(200);
    expect((await listVotes(call)).length).toBe(1);
  });

  it("is asked for again if Resend does not return the mail, and other events are accepted", async () => {
    const { call, token } = await ask("billing.return");
    const webhook = resend.receive(await writeMail({ token, text: "deny" }));
    const key = resend.apiKey;
    Object.assign(resend, { apiKey: "re_other" });
    expect(await post(webhook)).toEqual({ status: 503, text: "" });
    Object.assign(resend, { apiKey: key });
    expect((await post(webhook)).status).toBe(200);
    expect(await listReplies(call)).toEqual([{ wish: "deny", state: "done", code: null }]);
    const bounced = resend.sign(JSON.stringify({ type: "email.bounced", data: { email_id: "x" } }));
    expect((await post(bounced)).status).toBe(200);
  });
});

it("the options name a fault if transports are missing or mixed", () => {
  const faults = (more: object) =>
    mail({ from: "paraph@example.com", ...more } as never).faults.map(({ message }) => message);
  const smtp = { url: "smtps://mail.example.com" };
  const api = { secret: "resend" };
  expect(faults({ resend: api })).toEqual([]);
  expect(faults({})).toEqual([expect.stringContaining("needs either `smtp` or `resend`")]);
  expect(faults({ smtp, resend: api })).toEqual([expect.stringContaining("needs either `smtp` or `resend`")]);
  const dkim = { domain: "example.com", selector: "s", secret: "dkim" };
  expect(faults({ resend: api, dkim })).toEqual([expect.stringContaining("belongs to `smtp`")]);
  const replies = { address: "approvals@example.com" };
  expect(faults({ smtp, replies })).toEqual([expect.stringContaining("needs either `imap` or `resend`")]);
  const requests = { tenant: "acme", address: "agent@paraph.example", allow: ["@example.com"] };
  expect(faults({ smtp, requests })).toEqual([expect.stringContaining("needs `replies`")]);
  expect(faults({ resend: { ...api, url: "http://api.example.com" } })).toEqual([
    expect.stringContaining("expected `https://host`"),
  ]);
});
