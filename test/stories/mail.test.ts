// The way of a request through real mail servers: Postfix, Dovecot, a browser and signed replies.
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { getCACertificates, setDefaultCACertificates } from "node:tls";
import { defineCapability, type Principal } from "@paraph/core";
import { mail } from "@paraph/server";
import { simpleParser } from "mailparser";
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFailed } from "vitest";
import { z } from "zod";
import { receiveByImap } from "../../packages/server/src/channels/mail/in/imap.ts";
import {
  createOwnKey,
  listSigners,
  replyAddress,
  resolveDns,
  writeMail,
} from "../../packages/server/src/channels/mail/in/testing/draft.ts";
import { eventually } from "../support/eventually.ts";
import { hasPostfixAndDovecot, PostfixDovecot } from "../support/servers/postfix-dovecot.ts";
import { TestParaph } from "../support/servers/test-paraph.ts";
import { hasBrowser, launchBrowser } from "../support/web/browser.ts";

const tenant = "acme";
const address = "ana@example.com";
const person = (id: string): Principal => ({ tenant, id, kind: "person", groups: ["finance"] });
const refunded: string[] = [];
const refund = defineCapability({
  name: "billing.refund",
  version: 1,
  summary: "Refund a customer",
  effect: "write",
  risk: "low",
  idempotency: "natural",
  input: z.object({ customer: z.string() }),
  output: z.object({}),
  headline: ({ customer }) => `Refund ${customer}`,
  preview: async ({ customer }) => ({ changes: [{ kind: "update", target: customer }], basis: null }),
  apply: async ({ customer }) => {
    refunded.push(customer);
    return {};
  },
});

describe.runIf(hasPostfixAndDovecot)("a request in the mail of an approver", () => {
  let servers: PostfixDovecot;
  let paraph: TestParaph;
  const authorities = getCACertificates("default");

  beforeAll(async () => {
    servers = await PostfixDovecot.start([address, replyAddress, "paraph@paraph.example"]);
    setDefaultCACertificates([...authorities, servers.authority]);
    const { privateKey, ...dkim } = createOwnKey();
    const options = {
      from: "paraph@paraph.example",
      smtp: { url: servers.submissionUrl, user: "paraph@paraph.example", secret: "smtp" },
      dkim: { ...dkim, secret: "dkim" },
      replies: {
        address: replyAddress,
        imap: { url: servers.imapUrl, user: replyAddress, secret: "imap" },
      },
    };
    paraph = await TestParaph.start(
      {
        policy: "permissive",
        capabilities: [refund],
        rules: [{ capability: "billing.refund", ask: "finance", sentence: "Refunds need finance." }],
        ask: { escalation: { normal: [{ after: "1h" }] } },
        channels: [{ ...mail(options), receive: (context) => receiveByImap(options, context, resolveDns) }],
      },
      [person("ana"), person("bo"), { tenant, id: "bot", kind: "agent", owner: "bo" }],
      { "deployment/smtp": "wrong", "deployment/dkim": privateKey, "deployment/imap": "secret" },
    );
    await paraph.database.query("select paraph.contact_set($1, 'ana', 'mail', $2, 'administration')", [
      tenant,
      address,
    ]);
  });
  beforeEach(() => {
    onTestFailed(async () => console.error(await servers.readLogs()));
  });
  afterAll(async () => {
    await paraph?.stop();
    await servers?.stop();
    setDefaultCACertificates(authorities);
  });

  async function ask(customer: string) {
    const { body } = await paraph.request("bot", "POST", "/v1/calls", {
      capability: "billing.refund",
      input: { customer },
    });
    return { call: body.call as string, approval: body.approval.id as string };
  }
  const readMails = async (approval: string, count: number) => {
    const raws = await servers.waitForMails(address, approval, count);
    return Promise.all(raws.map(async (raw) => ({ raw, ...(await simpleParser(raw)) })));
  };
  const listNotices = (call: string) =>
    paraph.database.query("select state, code, attempts from paraph.notice where call = $1 order by seq", [
      call,
    ]);
  const readOutcome = async (call: string) =>
    (await paraph.request("ana", "GET", `/v1/calls/${call}`)).body.outcome?.kind;

  it("waits while the login is refused, says so, and arrives once the password is right", async () => {
    const { call, approval } = await ask("c-1");
    await eventually(async () =>
      expect(await listNotices(call)).toMatchObject([{ state: "waiting", code: "smtp-login-refused" }]),
    );
    await writeFile(join(paraph.folder, "secrets/deployment/smtp"), "secret");
    const [first] = await readMails(approval, 1);
    expect(first!.text).toContain("Refunds need finance.");
    await eventually(async () => expect(await listNotices(call)).toMatchObject([{ state: "sent" }]));
    const [notice] = await listNotices(call);
    expect(notice!.attempts).toBeGreaterThan(1);
  });

  it("[TRUST 3] carries a valid signature, and a signed reply to it denies the request", async () => {
    const { call, approval } = await ask("c-2");
    const [request] = await readMails(approval, 1);
    expect(await listSigners(request!.raw)).toEqual(["paraph.example"]);

    const [, token] = /\+([a-z2-7]{32})@/.exec(request!.replyTo?.value[0]?.address ?? "") ?? [];
    const reply = await writeMail({ token: token!, text: "deny: no invoice\n\n> approve" });
    const forged = await writeMail({ token: token!, text: "approve", sign: false });
    await servers.deliver(forged, address, replyAddress.replace("@", `+${token}@`));
    await servers.deliver(reply, address, replyAddress.replace("@", `+${token}@`));
    // The mails can arrive in either order, so the answer about the forged one can come after the outcome.
    const answer = await eventually(async () => {
      const found = (await readMails(approval, 2)).find(({ text }) => text?.includes("had no effect"));
      return found ?? expect.fail("no answer yet");
    });
    expect(answer).toMatchObject({ inReplyTo: request!.messageId });
    await eventually(async () => expect(await readOutcome(call)).toBe("denied"));
    const votes =
      "select data->>'via' as via, data->>'decision' as decision from paraph.event where call = $1 and kind = 'voted'";
    expect(await paraph.database.query(votes, [call])).toEqual([{ via: "mail", decision: "deny" }]);
  });

  it.runIf(hasBrowser)(
    "[TRUST 2] is approved after the login with two interactions: open the link, and approve",
    async () => {
      const { call, approval } = await ask("c-3");
      const [request] = await readMails(approval, 1);
      const [, link] = /href="([^"]+\/approvals\/[^"]+)"/.exec(request!.html || "") ?? [];
      const browser = await launchBrowser();
      try {
        const page = await browser.newPage();
        page.setDefaultTimeout(120_000);
        // A scanner without a session opens the link, and changes nothing.
        await page.goto(link!);
        expect((await paraph.request("ana", "GET", `/v1/approvals/${approval}`)).body.status).toBe("open");
        await page.goto(await paraph.createLoginLink(tenant, "ana"));
        await page.getByRole("button").click();
        // A new navigation would interrupt the login.
        await page.waitForURL(({ pathname }) => pathname === "/login");
        await page.goto(link!);
        await page.getByRole("button", { name: "Approve" }).click();
        await page.getByRole("status").filter({ hasText: "Approved by ana." }).waitFor();
      } finally {
        await browser.close();
      }
      await eventually(async () => expect(await readOutcome(call)).toBe("succeeded"));
      expect(refunded).toEqual(["c-3"]);
    },
  );

  it("keeps the request, its reminder and its outcome in one thread", async () => {
    const { approval } = await ask("c-4");
    const [request] = await readMails(approval, 1);
    await paraph.clockAhead(2);
    const [, reminder] = await readMails(approval, 2);
    expect(reminder!.text).toContain("Reminder: still waiting");
    const { digest } = (await paraph.request("ana", "GET", `/v1/approvals/${approval}`)).body;
    await paraph.request("ana", "POST", `/v1/approvals/${approval}/decision`, { decision: "deny", digest });
    const later = (await readMails(approval, 3)).slice(1);
    expect(later.map(({ text }) => text?.includes("Denied by ana."))).toEqual([false, true]);
    for (const { subject, inReplyTo, references } of later)
      expect({ subject, inReplyTo, references: [references].flat() }).toEqual({
        subject: `Re: ${request!.subject}`,
        inReplyTo: request!.messageId,
        references: [request!.messageId],
      });
  });

  it.each([
    ["to a server whose certificate names another host", "mismatchedUrl", undefined, "smtp-certificate"],
    ["without its signature if the key cannot sign", "submissionUrl", "no key", "smtp-dkim-key"],
  ] as const)("does not leave %s", async (_, url, key, code) => {
    const channel = mail({
      from: "paraph@paraph.example",
      smtp: { url: servers[url], user: "paraph@paraph.example", secret: "smtp" },
      ...(key !== undefined && { dkim: { domain: "paraph.example", selector: "s1", secret: "dkim" } }),
    }).open({
      credential: async (name) => (name === "dkim" ? key! : "secret"),
      folder: "/",
      devices: {} as never,
    });
    const links = { page: "https://paraph.example/approvals", preferences: "https://paraph.example/n" };
    const content = { kind: "summary", waiting: 1, ended: 0, links } as const;
    const delivery = await channel.tell(
      { id: "notice_1", tenant, address, content },
      new AbortController().signal,
    );
    expect(delivery).toEqual({ kind: "failed", code, permanent: false });
    await channel.close();
  });
});
