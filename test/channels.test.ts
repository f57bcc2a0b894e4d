import { defineCapability, type Principal } from "@paraph/core";
import { mail } from "@paraph/server";
import { afterAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { eventually } from "./support/eventually.ts";
import { MailServer } from "./support/mail-server.ts";
import { TestParaph } from "./support/servers/test-paraph.ts";

const tenant = "acme";
const person = (id: string, ...groups: string[]): Principal => ({ tenant, id, kind: "person", groups });

const refund = defineCapability({
  name: "billing.refund",
  version: 1,
  summary: "Refund a customer",
  effect: "write",
  idempotency: "natural",
  sensitive: ["card"],
  input: z.object({ customer: z.string(), card: z.string().default("") }),
  output: z.object({}),
  preview: async ({ customer, card }) => ({
    changes: [
      { kind: "update", target: customer, summary: `card ${card}`, diff: "@@ -1 +1 @@\n-open\n+refunded\n" },
    ],
    basis: null,
  }),
  apply: async () => ({}),
});

const mails = await new MailServer().start();
const paraph = await TestParaph.start(
  {
    policy: "permissive",
    capabilities: [refund],
    rules: [{ capability: "billing.refund", ask: "finance", sentence: "Refunds need finance." }],
    channels: [mail({ from: "paraph@example.com", smtp: { url: mails.url } })],
  },
  [
    person("ana", "finance"),
    person("bo", "finance"),
    person("cy", "support", "paraph:auditors"),
    person("owner", "finance"),
    person("left", "finance"),
    { tenant, id: "bot", kind: "agent", owner: "owner" },
  ],
);
afterAll(async () => {
  await paraph.stop();
  await mails.stop();
});
for (const id of ["ana", "bo", "cy", "owner", "left"])
  await paraph.database.query("select paraph.contact_set($1, $2, 'mail', $3, 'administration')", [
    tenant,
    id,
    `${id}@example.com`,
  ]);
await paraph.database.query("select paraph.principal_disable('acme', 'left', 'ana')");

async function ask(input: object, more: object = {}) {
  const { body } = await paraph.request("bot", "POST", "/v1/calls", {
    capability: "billing.refund",
    input,
    ...more,
  });
  return {
    call: body.call as string,
    approval: body.approval.id as string,
    digest: (await paraph.request("ana", "GET", `/v1/approvals/${body.approval.id}`)).body.digest as string,
  };
}

const listNotices = (call: string) =>
  paraph.database.query(
    "select recipient, kind, state, code, attempts, provider_id from paraph.notice where call = $1 order by seq, recipient",
    [call],
  );

it("the list of principals says which channels reach each person", async () => {
  await paraph.database.query("delete from paraph.contact where person = 'left'");
  const { body } = await paraph.request("cy", "GET", "/v1/principals");
  const listed = body.principals.map(({ id, channels }: { id: string; channels?: string[] }) => [
    id,
    channels,
  ]);
  expect(Object.fromEntries(listed)).toMatchObject({ ana: ["mail"], left: [], bot: undefined });
});

describe("a request", () => {
  it("[TRUST 12, 33] reaches by mail the people who may decide, and nobody else", async () => {
    const { call, approval } = await ask({ customer: "c-1" });
    const got = await mails.waitForCount(2, approval);
    await eventually(async () =>
      expect(await listNotices(call)).toMatchObject([
        { recipient: "ana", kind: "request", state: "sent", attempts: 1 },
        { recipient: "bo", kind: "request", state: "sent", attempts: 1 },
      ]),
    );
    expect(got.flatMap(({ to }) => to).sort()).toEqual(["ana@example.com", "bo@example.com"]);
    const [first] = got;
    expect(first!.text).toContain("Refunds need finance.");
    expect(first!.text).toContain(`${paraph.url}/approvals/${approval}`);
    expect(first!.headers.get("auto-submitted")).toBe("auto-generated");
    expect(first!.raw).toContain(`List-Unsubscribe: <${paraph.url}/notifications>`);
    const browser = await paraph.browser(tenant, "ana");
    await browser.open(`${paraph.url}/approvals/${approval}`);
    const opened = "select recipient from paraph.notice where call = $1 and opened_at is not null";
    expect(await paraph.database.query(opened, [call])).toEqual([{ recipient: "ana" }]);
    const { body } = await paraph.request("owner", "GET", `/v1/calls/${call}/notices`);
    const sent = { kind: "request", channel: "mail", approval, state: "sent", attempts: 1 };
    const at = expect.stringMatching(/^2/);
    expect(body.notices).toEqual([
      { ...sent, notice: expect.any(String), recipient: "ana", at, sentAt: at, openedAt: at },
      { ...sent, notice: expect.any(String), recipient: "bo", at, sentAt: at },
    ]);
    // A read of the API counts as opened in a browser only.
    await paraph.request("bo", "GET", `/v1/approvals/${approval}`);
    expect(await paraph.database.query(opened, [call])).toEqual([{ recipient: "ana" }]);
    const other = await paraph.browser(tenant, "bo");
    expect((await other.fetch(`${paraph.url}/v1/approvals/${approval}`)).status).toBe(200);
    expect(await paraph.database.query(`${opened} order by 1`, [call])).toEqual([
      { recipient: "ana" },
      { recipient: "bo" },
    ]);
  });

  it("[TRUST 33] shows whom Paraph told to people only, and shows no address", async () => {
    const { call, approval } = await ask({ customer: "c-9" });
    await mails.waitForCount(2, approval);
    const path = `/v1/calls/${call}/notices`;
    expect(await paraph.request("bot", "GET", path)).toMatchObject({
      status: 403,
      body: { code: "approver-not-allowed" },
    });
    const { body } = await paraph.request("cy", "GET", path);
    expect(body.notices.map(({ recipient }: { recipient: string }) => recipient)).toEqual(["ana", "bo"]);
    expect(JSON.stringify(body)).not.toContain("@");
  });

  it("[TRUST 16] carries no sensitive field, in text, HTML or headers", async () => {
    const { approval } = await ask({ customer: "c-2", card: "canary-4242424242" });
    const [first] = await mails.waitForCount(1, approval);
    expect(first!.text).toContain("1 sensitive field is hidden in this mail.");
    expect(first!.text + first!.html + first!.raw).not.toContain("canary");
  });

  it("[TRUST 5] keeps hostile text inside of its quote, and adds no header, line or element", async () => {
    const hostile = "x\r\nBcc: eve@example.com\r\n\r\n<img src=http://evil.example/p>\u202eok";
    const { approval } = await ask(
      { customer: hostile },
      { purpose: `${hostile}\n-- \nReview and decide:\nhttp://evil.example` },
    );
    const [first] = await mails.waitForCount(1, approval);
    expect(first!.headers.has("bcc")).toBe(false);
    expect(first!.text).toContain("Changes x<U+000D><U+000A>Bcc: eve[@]example[.]com");
    expect(first!.text).toContain("Purpose given by the requester (not verified):\n> x<U+000D>");
    expect(first!.text).toContain("> http[:]//evil[.]example");
    expect(first!.html).not.toContain("<img");
    expect([...first!.html.matchAll(/href="([^"]+)"/g)].map(([, href]) => new URL(href!).origin)).toEqual([
      paraph.url,
      paraph.url,
    ]);
  });
});

describe("an outcome", () => {
  it("goes to the people who were told of the request, in the same thread", async () => {
    const { approval, digest } = await ask({ customer: "c-3" });
    const requests = await mails.waitForCount(2, approval);
    await paraph.request("bo", "POST", `/v1/approvals/${approval}/decision`, {
      decision: "deny",
      digest,
      reason: "not now",
    });
    const all = await mails.waitForCount(4, approval);
    for (const { to, messageId, subject } of requests) {
      const outcome = all.find((one) => one.to[0] === to[0] && one.messageId !== messageId)!;
      expect(outcome).toMatchObject({ subject: `Re: ${subject}`, references: [messageId] });
      expect(outcome.text).toContain("Denied by bo. The call did not run.");
      expect(outcome.text).toContain("Reason given by the approver:\n> not now");
    }
  });
});
