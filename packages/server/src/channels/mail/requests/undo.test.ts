import { defineCapability, type PublicKey, verifyReceipt } from "@paraph/core";
import { simpleParser } from "mailparser";
import { afterAll, beforeEach, describe, expect, it } from "vitest";
import { z } from "zod";
import type { Draft } from "../in/testing/draft.ts";
import { startMailRequests } from "./testing/mail-requests.ts";

/** The effects in their order, such as `close T-1`. */
const effects: string[] = [];
const ticket = z.object({ ticket: z.string() });
const define = (
  verb: string,
  { undo, sensitive = [] }: { readonly undo?: string; readonly sensitive?: readonly string[] } = {},
) =>
  defineCapability({
    name: `tickets.${verb}`,
    version: 1,
    summary: `${verb} a ticket`,
    effect: "write",
    risk: "low",
    idempotency: "natural",
    ...(sensitive.length > 0 && { sensitive }),
    input: ticket,
    output: z.object({}),
    headline: ({ ticket }) => `${verb} ${ticket}`,
    preview: async ({ ticket }) => ({
      changes: [{ kind: "update", target: `${verb} ${ticket}` }],
      basis: null,
    }),
    undo: (input) => (undo === undefined ? undefined : { capability: `tickets.${undo}`, input }),
    apply: async ({ ticket }) => {
      effects.push(`${verb} ${ticket}`);
      return {};
    },
  });

const requests = await startMailRequests(
  [
    define("close", { undo: "reopen" }),
    define("reopen"),
    define("mute", { undo: "unmute" }),
    define("unmute"),
    define("announce"),
    define("hide", { undo: "reveal" }),
    define("reveal", { sensitive: ["ticket"] }),
  ],
  [{ capability: "tickets.reopen", ask: "support" }],
);
afterAll(() => requests.stop());
const { paraph, approve, ask, count, createMessageId, deliver, listPlans, listReplies, readToken } = requests;
const { waitForThread } = requests;
beforeEach(() => {
  effects.length = 0;
});

/** Sends a request that no person has to approve, and returns its thread with the mail about its outcome. */
async function perform(words: string) {
  const { thread, token } = await ask(words);
  await deliver("confirm", { token });
  const [, outcome] = await waitForThread(thread, 2);
  return { thread, outcome: outcome!, token: readToken(outcome!) };
}

/** Sends a reply with its own Message-ID, and returns that id, to which the answer refers. */
async function reply(text: string, token: string, more: Partial<Draft> = {}): Promise<string> {
  const messageId = createMessageId();
  await deliver(text, { token, messageId, ...more });
  return messageId;
}

describe("[P13] an undo by reply", () => {
  it("undoes the steps in reverse order, after policy's approval, and tells its outcome in the thread", async () => {
    const done = await perform("Close ticket T-1 and then mute ticket T-2 and then announce ticket T-3");
    expect(done.outcome.text).toContain('reply with "undo" as the only line');
    expect(done.outcome.text).toMatch(/1\. unmute T-2[\s\S]*2\. reopen T-1/);
    expect(done.outcome.text).toMatch(/The undo cannot change[\s\S]*tickets\.announce/);
    effects.length = 0;
    const undo = await reply("Undo that.\n\n> Your request ended", done.token);
    const call = (await listPlans()).at(-1)!;
    expect(effects).toEqual([]);
    await approve(call.id);
    const [answer] = await waitForThread(undo, 1);
    expect(effects).toEqual(["unmute T-2", "reopen T-1"]);
    expect(answer).toMatchObject({ to: ["ana@example.com"] });
    expect(answer!.text).toMatch(/Your undo ended|Approved by bo/);
    expect(answer!.text).toMatch(/The undo did not change[\s\S]*tickets\.announce/);
    const { attachments } = await simpleParser(Buffer.from(answer!.raw));
    const receipt = JSON.parse(attachments[0]!.content.toString("utf8"));
    const keys = (await paraph.request("ana", "GET", "/v1/keys")).body.keys as PublicKey[];
    expect((await verifyReceipt(receipt, keys)).story).toMatchObject({ call: call.id });
  });

  it.each(["take", "openUndo", "end"])(
    "[TRUST 4] is one call if the process dies around `%s`",
    async (method) => {
      for (const when of ["before", "after"] as const) {
        const { token } = await perform("Mute ticket T-4");
        const before = [
          (await listPlans()).length,
          await count("mail_request"),
          (await listReplies()).length,
        ];
        requests.dieNext({ method, when });
        const undo = await reply("undo", token);
        expect(requests.willDie()).toBe(false);
        await waitForThread(undo, 1);
        const after = [(await listPlans()).length, await count("mail_request"), (await listReplies()).length];
        expect(after).toEqual(before.map((number) => number + 1));
        expect(effects.splice(0)).toEqual(["mute T-4", "unmute T-4"]);
      }
    },
  );

  it("[TRUST 34] happens once, also if it is repeated", async () => {
    const { token, thread } = await perform("Mute ticket T-5");
    await waitForThread(await reply("undo", token), 1);
    await reply("undo", token);
    expect((await listReplies()).at(-1)).toEqual({ wish: "undo", code: "request-used" });
    expect(effects).toEqual(["mute T-5", "unmute T-5"]);
    expect((await waitForThread(thread, 2)).length).toBe(2);
  });

  it("[TRUST 16] shows no value of an undo with sensitive fields, and a reply cannot request it", async () => {
    const { outcome, token } = await perform("Hide ticket T-6");
    expect(outcome.text).toContain("The undo has sensitive fields");
    expect(outcome.text).not.toContain("T-6");
    await reply("undo", token);
    expect((await listReplies()).at(-1)).toEqual({ wish: "none", code: "not-undoable" });
    expect(effects).toEqual(["hide T-6"]);
  });

  it("is not offered for a request that nothing can undo", async () => {
    const { outcome, token } = await perform("Announce ticket T-7");
    expect(outcome.text).toMatch(/The undo cannot change[\s\S]*tickets\.announce/);
    expect(outcome.text).not.toContain("reply with");
    expect(token).toBe("");
  });
});

describe("[TRUST 3] no undo comes from a reply", () => {
  it.each<[string, string, Partial<Draft>, string | undefined]>([
    ["of another person", "undo", { from: "Bo <bo@example.org>" }, undefined],
    ["without a signature", "undo", { sign: false }, undefined],
    ["that a program sent", "undo", { headers: ["Auto-Submitted: auto-replied"] }, undefined],
    ["with a condition", "undo\nif it is muted", {}, "confirm-not-alone"],
    ["with the word in a quote", "> undo", {}, "empty"],
    [
      "to an address that is not signed",
      "undo",
      { sign: { headers: ["From", "Subject", "Content-Type"] } },
      "confirm-not-signed",
    ],
    ["in other words", "undo the last one", {}, "undo-wanted"],
    ["that confirms", "confirm", {}, "undo-wanted"],
  ])("%s", async (_, text, draft, code) => {
    const { token } = await perform("Mute ticket T-8");
    const before = [(await listPlans()).length, (await listReplies()).length];
    await reply(text, token, draft);
    const added = (await listReplies()).slice(before[1]).map((one) => one.code);
    expect(added).toEqual(code === undefined ? [] : [code]);
    expect((await listPlans()).length).toBe(before[0]);
    expect(effects).toEqual(["mute T-8"]);
  });
});
