import { defineCapability, type Principal } from "@paraph/core";
import { afterAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { eventually } from "../../../../../../test/support/eventually.ts";
import { MailServer } from "../../../../../../test/support/mail-server.ts";
import { TestParaph } from "../../../../../../test/support/servers/test-paraph.ts";
import { mail } from "../mail.ts";
import { receiveByImap } from "./imap.ts";
import { resolveDns, writeMail } from "./testing/draft.ts";
import { ImapServer } from "./testing/imap-server.ts";

const tenant = "acme";
const define = (name: string, risk: "low" | "high") =>
  defineCapability({
    name,
    version: 1,
    summary: "Refund a customer",
    effect: "write",
    risk,
    idempotency: "natural",
    input: z.object({ customer: z.string() }),
    output: z.object({}),
    preview: async ({ customer }) => ({ changes: [{ kind: "update", target: customer }], basis: null }),
    apply: async () => ({}),
  });

const [smtp, imap] = [await new MailServer().start(), await new ImapServer().start()];
const options = {
  from: "paraph@paraph.example",
  smtp: { url: smtp.url },
  replies: {
    address: "approvals@paraph.example",
    imap: { url: imap.url, user: "approvals", secret: "imap" },
  },
};
process.env.PARAPH_SECRET__DEPLOYMENT__IMAP = "canary";
/** Set to let the process die at the next record of a reply's end. */
let dies = false;
const person = (id: string): Principal => ({ tenant, id, kind: "person", groups: ["finance"] });
const paraph = await TestParaph.start(
  {
    policy: "permissive",
    capabilities: [
      define("billing.refund", "low"),
      define("billing.big", "high"),
      define("billing.page", "low"),
      define("billing.again", "low"),
    ],
    rules: [
      { capability: "billing.refund", ask: "finance", reply: "approve" },
      { capability: "billing.big", ask: "finance", reply: "approve" },
      { capability: "billing.page", ask: "finance" },
      { capability: "billing.again", ask: "finance" },
    ],
    channels: [
      {
        ...mail(options),
        receive: (context) =>
          receiveByImap(
            options,
            {
              ...context,
              replies: {
                ...context.replies,
                end: async (...of) => {
                  if (!dies) return context.replies.end(...of);
                  dies = false;
                  throw new Error("died");
                },
              },
            },
            resolveDns,
          ),
      },
    ],
  },
  [person("ana"), person("bo"), { tenant, id: "bot", kind: "agent", owner: "bo" }],
);
afterAll(async () => {
  await paraph.stop();
  await Promise.all([smtp.stop(), imap.stop()]);
});
await paraph.database.query(
  "select paraph.contact_set('acme', 'ana', 'mail', 'ana@example.com', 'administration')",
);

let asked = 0;
/** Requests a call, and returns it with the token in the mail about it. */
async function ask(capability = "billing.refund") {
  const { body } = await paraph.request("bot", "POST", "/v1/calls", {
    capability,
    input: { customer: `c-${++asked}` },
  });
  const [notice] = await smtp.waitForCount(1, body.approval.id);
  const token = /approvals\+([a-z2-7]{32})@paraph\.example/.exec(notice!.raw)?.[1] ?? "";
  return { call: body.call as string, approval: body.approval.id as string, token, notice: notice! };
}

const listVotes = async (call: string) =>
  (
    await paraph.database.query("select data from paraph.event where call = $1 and kind = 'voted'", [call])
  ).map(({ data }) => data as Record<string, unknown>);
const listReplies = (call: string) =>
  paraph.database.query("select wish, state, code from paraph.reply where call = $1 order by at", [call]);
const answered = (approval: string) =>
  smtp.waitForCount(1, `/approvals/${approval}`).then(() =>
    eventually(() => {
      const found = smtp.received.find(
        ({ text }) => text.includes("Your reply had no effect") && text.includes(approval),
      );
      if (!found) throw new Error("no answer yet");
      return found;
    }),
  );

describe("[TRUST 3] a reply by mail", () => {
  it("denies with a reason, and the vote records that it came by mail", async () => {
    const { call, token, notice } = await ask();
    expect(notice.text).toContain('or "approve" alone.');
    imap.deliver(await writeMail({ token, text: "deny: no invoice\n\n> approve" }));
    await eventually(async () =>
      expect(await listReplies(call)).toEqual([{ wish: "deny", state: "done", code: null }]),
    );
    expect(await listVotes(call)).toMatchObject([{ by: "ana", decision: "deny", via: "mail" }]);
    const { body } = await paraph.request("ana", "GET", `/v1/calls/${call}`);
    expect(body.outcome).toEqual({ kind: "denied", code: "denied" });
  });

  it("returns the request with instructions, which the requester reads", async () => {
    const { call, token } = await ask("billing.page");
    imap.deliver(await writeMail({ token, text: "Return: refund half of it,\nand say why\n\n> approve" }));
    await eventually(async () =>
      expect(await listReplies(call)).toEqual([{ wish: "return", state: "done", code: null }]),
    );
    expect(await listVotes(call)).toMatchObject([{ by: "ana", decision: "return", via: "mail" }]);
    const { body } = await paraph.request("bot", "GET", `/v1/calls/${call}`);
    expect(body).toMatchObject({
      outcome: { kind: "denied", code: "returned" },
      instructions: "refund half of it,\nand say why",
    });
  });

  it("approves where policy allows it, and its token approves once", async () => {
    const { call, token } = await ask();
    imap.deliver(await writeMail({ token, text: "approve" }));
    imap.deliver(await writeMail({ token, text: "approve" }));
    await eventually(async () =>
      expect(await listReplies(call)).toEqual([
        { wish: "approve", state: "done", code: null },
        { wish: "approve", state: "done", code: "token-used" },
      ]),
    );
    expect(await listVotes(call)).toMatchObject([{ by: "ana", decision: "approve", via: "mail" }]);
  });

  it("comments, asks and acknowledges", async () => {
    const { call, token } = await ask();
    for (const text of ["comment: wait for Jon", "Which invoice?", "on it"])
      imap.deliver(await writeMail({ token, text }));
    await eventually(async () => expect((await listReplies(call)).length).toBe(3));
    await eventually(async () => {
      const { body } = await paraph.request("ana", "GET", `/v1/calls/${call}/messages`);
      expect(body.messages).toMatchObject([
        { by: "ana", kind: "comment", text: "wait for Jon" },
        { by: "ana", kind: "question", text: "Which invoice?" },
      ]);
      const seen = "select 1 from paraph.event where call = $1 and kind = 'acknowledged'";
      expect((await paraph.database.query(seen, [call])).length).toBe(1);
    });
    expect(await listVotes(call)).toEqual([]);
  });

  it.each([
    ["of high risk", "billing.big", "risk-too-high"],
    ["whose policy does not allow it", "billing.page", "reply-not-allowed"],
  ])("does not approve a request %s, and says so in an answer", async (_, capability, code) => {
    const { call, approval, token, notice } = await ask(capability);
    expect(notice.text).toContain("A reply cannot approve this request.");
    imap.deliver(await writeMail({ token, text: "approve" }));
    await eventually(async () =>
      expect(await listReplies(call)).toEqual([{ wish: "none", state: "done", code }]),
    );
    const answer = await answered(approval);
    expect(answer).toMatchObject({ to: ["ana@example.com"], references: [notice.messageId] });
    expect(answer.raw).toContain("Auto-Submitted: auto-replied");
    expect(await listVotes(call)).toEqual([]);
  });

  it("by another sender decides nothing, and only the approver's registered address gets an answer", async () => {
    const { call, approval, token } = await ask();
    imap.deliver(await writeMail({ from: "eve@evil.example", token, text: "approve" }));
    expect((await answered(approval)).to).toEqual(["ana@example.com"]);
    expect(await listVotes(call)).toEqual([]);
    expect(smtp.received.flatMap(({ to }) => to)).not.toContain("eve@evil.example");
  });

  it("gets at most five answers for one token", async () => {
    const { call, token } = await ask();
    for (let count = 0; count < 7; count++)
      imap.deliver(await writeMail({ from: "eve@evil.example", token, text: "approve" }));
    await eventually(async () => expect((await listReplies(call)).length).toBe(7));
    const text =
      "select answer_attempts > 0 or answer_at is not null as told from paraph.reply where call = $1";
    await eventually(async () => {
      const rows = await paraph.database.query(text, [call]);
      expect(rows.filter(({ told }) => told).length).toBe(5);
    });
  });
});

// After five requests for one capability within a minute, approvers get a summary.
describe("the mailbox", () => {
  it("[TRUST 4] is read again after a crash between the effect and its record, and the vote counts once", async () => {
    const { call, token } = await ask("billing.again");
    dies = true;
    imap.deliver(await writeMail({ token, text: "deny" }));
    await eventually(async () =>
      expect(await listReplies(call)).toEqual([{ wish: "deny", state: "done", code: null }]),
    );
    expect(dies).toBe(false);
    expect((await listVotes(call)).length).toBe(1);
  });

  it("does not skip a message whose transfer was lost", async () => {
    const { call, token } = await ask("billing.again");
    let lost = 0;
    imap.beforeFetch = () => ++lost > 1;
    imap.deliver(await writeMail({ token, text: "deny" }));
    await eventually(async () =>
      expect(await listReplies(call)).toEqual([{ wish: "deny", state: "done", code: null }]),
    );
    expect(lost).toBe(2);
    imap.beforeFetch = () => true;
  });

  it("[TRUST 4] is read from its start if the server rebuilt it, and no reply counts twice", async () => {
    const before = await paraph.database.query("select count(*)::int as count from paraph.reply");
    const votes = "select count(*)::int as count from paraph.event where kind in ('voted', 'commented')";
    const counted = await paraph.database.query(votes);
    imap.fetched.length = 0;
    imap.uidValidity++;
    imap.drop();
    const last = imap.deliver(await writeMail({ token: "z".repeat(32), text: "deny" }));
    await eventually(async () => {
      const [place] = await paraph.database.query(
        "select uid_validity::int as v, last_uid::int as uid from paraph.mail_place",
      );
      expect(place).toEqual({ v: imap.uidValidity, uid: last });
    });
    expect(imap.fetched[0]).toBe(1);
    expect(await paraph.database.query("select count(*)::int as count from paraph.reply")).toEqual(before);
    expect(await paraph.database.query(votes)).toEqual(counted);
  });
});
