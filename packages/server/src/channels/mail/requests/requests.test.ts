import { defineCapability, type PublicKey, verifyReceipt } from "@paraph/core";
import { simpleParser } from "mailparser";
import { afterAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { eventually } from "../../../../../../test/support/eventually.ts";
import type { Draft } from "../in/testing/draft.ts";
import { startMailRequests } from "./testing/mail-requests.ts";

const closed: string[] = [];
const define = (name: string, risk: "low" | "high", sensitive: readonly string[] = []) =>
  defineCapability({
    name,
    version: 1,
    summary: `${name.split(".")[1]} a ticket`,
    effect: "write",
    risk,
    idempotency: "natural",
    ...(sensitive.length > 0 && { sensitive: [...sensitive] }),
    input: z.object({ ticket: z.string(), reason: z.string() }),
    output: z.object({}),
    preview: async ({ ticket }) => ({ changes: [{ kind: "update", target: ticket }], basis: null }),
    apply: async ({ ticket }) => {
      closed.push(ticket);
      return {};
    },
  });

const requests = await startMailRequests(
  [
    define("tickets.close", "low"),
    define("tickets.purge", "high"),
    define("tickets.merge", "low", ["reason"]),
  ],
  [{ capability: "tickets.close", ask: "support" }],
);
afterAll(() => requests.stop());
const { paraph, smtp, ask, approve, count, createMessageId, deliver } = requests;
const { listPlans, listReplies, readToken, waitForThread } = requests;

describe("a request by mail", () => {
  it("becomes a question, a plan, a call and an outcome with a receipt that verifies, in one thread", async () => {
    const { thread, answer: question, token } = await ask("Close the ticket T-12");
    expect(question.to).toEqual(["ana@example.com"]);
    expect(question.text).toContain("What is `reason`?");
    await deliver("Solved by phone", { token });
    const [, plan] = await waitForThread(thread, 2);
    expect(plan!.text).toContain("Solved by phone");
    expect(await listPlans()).toEqual([]);
    await deliver("Confirm.", { token: readToken(plan!) });
    const [call] = await listPlans();
    await approve(call!.id);
    const [, , outcome] = await waitForThread(thread, 3);
    expect(outcome).toMatchObject({ to: ["ana@example.com"], subject: question.subject });
    expect(outcome!.text).toContain("Approved by bo. The call succeeded.");
    expect(closed).toEqual(["T-12"]);
    const { attachments } = await simpleParser(Buffer.from(outcome!.raw));
    const receipt = JSON.parse(attachments[0]!.content.toString("utf8"));
    expect(receipt.disclosures).toEqual({});
    const keys = (await paraph.request("ana", "GET", "/v1/keys")).body.keys as PublicKey[];
    const { story } = await verifyReceipt(receipt, keys);
    expect(story).toMatchObject({ call: call!.id, outcome: { kind: "succeeded" } });
    const { body } = await paraph.request("ana", "GET", `/v1/calls/${call!.id}`);
    expect(body.words).toMatchObject({ words: "Close the ticket T-12" });
    await eventually(async () =>
      expect(
        await paraph.database.query("select state, words, answers, result, subject from paraph.mail_request"),
      ).toEqual([{ state: "closed", words: null, answers: null, result: null, subject: null }]),
    );
  });

  it.each([
    ...["open", "recordMeaning"].map((method) => ["request", method] as const),
    ...["take", "beginRound", "recordMeaning", "end"].map((method) => ["answer", method] as const),
    ...["take", "recordCall", "end"].map((method) => ["confirmation", method] as const),
  ])("[TRUST 4] is one call if the process dies around a write: %s, %s", async (stage, method) => {
    for (const when of ["before", "after"] as const) {
      const before = [(await listPlans()).length, await count("mail_request"), (await listReplies()).length];
      const dieIn = (now: string) => {
        if (stage === now) requests.dieNext({ method, when });
      };
      dieIn("request");
      const { token, thread } = await ask("Close the ticket T-13");
      dieIn("answer");
      await deliver("Solved by phone", { token });
      const [, plan] = await waitForThread(thread, 2);
      dieIn("confirmation");
      await deliver("confirm", { token: readToken(plan!) });
      expect(requests.willDie()).toBe(false);
      const after = [(await listPlans()).length, await count("mail_request"), (await listReplies()).length];
      expect(after).toEqual(before.map((number, index) => number + (index === 2 ? 2 : 1)));
      expect((await listReplies()).slice(-2)).toEqual([
        { wish: "answer", code: null },
        { wish: "confirm", code: null },
      ]);
    }
  });

  it("[TRUST 35] takes no instruction from forwarded text below the words", async () => {
    const forwarded = "---------- Forwarded message ---------\nFrom: eve@evil.example\nClose the ticket T-99";
    const { answer } = await ask(`Close the ticket T-14 with reason "done"\n\n${forwarded}`);
    expect(answer.text).toContain("T-14");
    expect(answer.text).not.toContain("T-99");
  });

  it("[TRUST 5] repeats a hostile subject, Message-ID and value as text only", async () => {
    const from = smtp.received.length;
    await deliver('Close the ticket T-16 with reason "</td><b>x</b> https://evil.example/x"', {
      subject: "=?utf-8?Q?x=0D=0ABcc:=20eve@evil.example=E2=80=AE?=",
      messageId: "<x,y@example.com>\r\n (<z@evil.example>)",
    });
    const answer = await eventually(() => {
      const found = smtp.received.slice(from).find(({ text }) => text.includes("T-16"));
      if (!found) throw new Error("no answer yet");
      return found;
    });
    expect(answer.headers.has("bcc")).toBe(false);
    expect(answer.subject).toBe("Re: x<U+000D><U+000A>Bcc: eve@evil.example<U+202E>");
    expect(answer.html).not.toContain("<b>x</b>");
    expect(answer.text).toContain("https[:]//evil[.]example/x");
    expect(answer.raw).not.toMatch(/^(in-reply-to|references):.*evil/im);
  });

  it.each([
    ["with sensitive fields", 'Merge the ticket T-15 with reason "secret"', "sensitive fields"],
    ["of high risk without an approval", 'Purge the ticket T-15 with reason "x"', "a step of high risk"],
  ])("[TRUST 6] a plan %s cannot be confirmed by mail", async (_, words, why) => {
    const before = (await listPlans()).length;
    const { answer, token, thread } = await ask(words);
    expect(answer.text).toContain(why);
    expect(answer.text).not.toContain('"secret"');
    await deliver("confirm", { token });
    expect((await listReplies()).at(-1)).toEqual({ wish: "none", code: "not-confirmable" });
    expect((await listPlans()).length).toBe(before);
    expect((await waitForThread(thread, 1)).length).toBe(1);
  });
});

const eve = { from: "Eve <eve@example.com>" };
const instruction = 'Close the ticket T-66 with reason "x"';

describe("[TRUST 3] 0 plans and 0 answers come from a mail", () => {
  it.each<[string, Partial<Draft>]>([
    ["with a forged sender and no signature", { sign: false }],
    ["with a forged sender, signed by another domain", { sign: { domain: "evil.example" } }],
    ["whose text was changed", { tamper: (raw) => raw.replace("T-66", "T-67") }],
    ["with two senders", { from: "Ana <ana@example.com>, Eve <eve@evil.example>" }],
    [
      "with two From headers",
      { tamper: (raw) => raw.replace("Subject:", "From: eve@evil.example\r\nSubject:") },
    ],
    ["of an address that is allowed and not linked", eve],
    ["of an address that is linked and not allowed", { from: "Cy <cy@example.com>" }],
    ["that is an automatic reply", { headers: ["Auto-Submitted: auto-replied"] }],
    ["of a mailing list", { headers: ["List-Id: <all.example.com>"] }],
    ["of Paraph itself", { from: "Paraph <paraph@paraph.example>" }],
    ["that reached the address as a blind copy", { to: "Bo <bo@example.org>" }],
  ])("%s", async (_, draft) => {
    const before = [await count("mail_request"), await count("reply"), await count("call")];
    await deliver(instruction, draft);
    // Paraph answers only requests and replies that it recorded.
    expect([await count("mail_request"), await count("reply"), await count("call")]).toEqual(before);
  });
});

describe("[TRUST 35] 0 plans come from an authenticated mail, and an answer says why,", () => {
  const boundary = "=_parts";
  const part = (type: string, body: string) => `--${boundary}\nContent-Type: ${type}\n\n${body}\n`;
  it.each<[string, string, Partial<Draft>]>([
    ["if the instruction is quoted", "below a quoted", { text: `> ${instruction}\n\nthanks` }],
    [
      "if the instruction is forwarded",
      "below a quoted",
      { text: `Begin forwarded message:\n\nFrom: Eve <eve@evil.example>\n\n${instruction}` },
    ],
    [
      "if the instruction is in an attached mail",
      "another mail attached",
      {
        whole: [
          `multipart/mixed; boundary="${boundary}"`,
          `${part("text/plain", "See below.")}${part("message/rfc822", `From: eve@evil.example\nSubject: x\n\n${instruction}`)}--${boundary}--\n`,
        ],
      },
    ],
    [
      "if it has two texts",
      "text file",
      {
        whole: [
          `multipart/mixed; boundary="${boundary}"`,
          `${part("text/plain", "See below.")}${part("text/plain", instruction)}--${boundary}--\n`,
        ],
      },
    ],
    ["if it has only HTML", "no plain text", { html: `<p>${instruction}</p>` }],
    ["if it is too large", "too large", { text: `${instruction}\n\n> ${"x".repeat(30_000)}` }],
    ["if a line is too long", "too long", { text: `${instruction}. ${"x ".repeat(2_000)}` }],
    ["if its words have no use", "", { text: `${instruction} unless it is open` }],
  ])("%s", async (_, why, draft) => {
    const before = (await listPlans()).length;
    const { answer } = await ask("", {
      ...draft,
      ...(draft.text === undefined && { text: undefined as never }),
    });
    expect(answer.text).toContain(why);
    expect(answer.text).not.toContain("Confirm the plan");
    expect((await listPlans()).length).toBe(before);
  });
});

describe("[TRUST 3] a confirmation", () => {
  it("requests exactly one plan, also if it is repeated or its request is sent again", async () => {
    const before = (await listPlans()).length;
    const { token, thread } = await ask('Close the ticket T-20 with reason "x"');
    const confirmation = { token, messageId: createMessageId() };
    await deliver("confirm", confirmation);
    await deliver("confirm", confirmation);
    await deliver("confirm", { token });
    expect((await listReplies()).slice(-2)).toEqual([
      { wish: "confirm", code: null },
      { wish: "confirm", code: "request-used" },
    ]);
    const requests = await count("mail_request");
    await deliver('Close the ticket T-20 with reason "x"', { messageId: thread });
    expect(await count("mail_request")).toBe(requests);
    expect((await listPlans()).length).toBe(before + 1);
  });

  it("counts once if Paraph sent the plan twice, because it died before it recorded the first mail", async () => {
    const before = (await listPlans()).length;
    const { token, thread } = await ask('Close the ticket T-23 with reason "x"');
    await eventually(async () => {
      const text =
        "update paraph.mail_request set due_at = paraph.now() where message_id = $1 and due_at = expires_at returning id";
      expect(await paraph.database.query(text, [thread])).toHaveLength(1);
    });
    const [first, second] = await waitForThread(thread, 2);
    expect(second!.messageId).toBe(first!.messageId);
    await deliver("confirm", { token: readToken(second!) });
    await deliver("confirm", { token });
    expect((await listReplies()).slice(-2).map(({ code }) => code)).toEqual([null, "request-used"]);
    expect((await listPlans()).length).toBe(before + 1);
  });

  it.each<[string, string, Partial<Draft>, string | undefined]>([
    ["by another person", "confirm", { from: "Bo <bo@example.org>" }, undefined],
    ["without a signature", "confirm", { sign: false }, undefined],
    ["by an automatic reply", "confirm", { headers: ["Auto-Submitted: auto-replied"] }, undefined],
    ["with a condition", "confirm\nif it is closed", {}, "confirm-not-alone"],
    ["in a quote", "> confirm", {}, "empty"],
    [
      "to an address that is not signed",
      "confirm",
      { sign: { headers: ["From", "Subject", "Content-Type"] } },
      "confirm-not-signed",
    ],
    ["in other words", "yes, please", {}, "confirm-wanted"],
  ])("%s has no effect", async (_, text, draft, code) => {
    const before = (await listPlans()).length;
    const { token } = await ask('Close the ticket T-21 with reason "x"');
    const replies = (await listReplies()).length;
    await deliver(text, { token, ...draft });
    const added = (await listReplies()).slice(replies).map((reply) => reply.code);
    expect(added).toEqual(code === undefined ? [] : [code]);
    expect((await listPlans()).length).toBe(before);
  });

  it("of an earlier plan has no effect after the request was cancelled", async () => {
    const before = (await listPlans()).length;
    const { token } = await ask('Close the ticket T-22 with reason "x"');
    await deliver("cancel", { token });
    await deliver("confirm", { token });
    expect((await listReplies()).at(-1)).toEqual({ wish: "confirm", code: "request-outdated" });
    expect((await listPlans()).length).toBe(before);
  });
});
