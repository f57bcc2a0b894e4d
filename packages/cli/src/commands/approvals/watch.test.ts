import { defineCapability } from "@paraph/core";
import { afterAll, expect, it } from "vitest";
import { z } from "zod";
import { TestParaph } from "../../../../../test/support/servers/test-paraph.ts";
import type { Context } from "../../lib/context.ts";
import { findNotifyCommand } from "../../lib/terminal/desktop-notification.ts";
import { captureOutput } from "../../testing/captured-output.ts";
import { startCli } from "../../testing/run-cli.ts";
import { watchApprovals } from "./watch.ts";

const send = defineCapability({
  name: "mail.send",
  version: 1,
  summary: "Send a letter",
  effect: "write",
  idempotency: "keyed",
  input: z.object({ to: z.string() }),
  output: z.object({}),
  preview: async ({ to }) => ({ changes: [{ kind: "send", target: to }], basis: null }),
  apply: async () => ({}),
});
const paraph = await TestParaph.start({ capabilities: [send] }, [
  { tenant: "acme", id: "owner", kind: "person" },
  { tenant: "acme", id: "ana", kind: "person" },
  { tenant: "acme", id: "bot", kind: "agent", owner: "owner" },
]);
afterAll(() => paraph.stop());

async function ask(to: string): Promise<string> {
  const { body } = await paraph.request("bot", "POST", "/v1/calls", {
    capability: "mail.send",
    input: { to },
  });
  return body.call;
}

const outcomeOf = async (call: string) =>
  (await paraph.request("bot", "GET", `/v1/calls/${call}`)).body.outcome?.kind;

/** Watches as ana, who gives these answers. The watch ends when it asks once more. */
async function watch(...answers: (string | (() => Promise<string>))[]): Promise<string> {
  const ending = new AbortController();
  const { output, written } = captureOutput();
  const question = async () => {
    const answer = answers.shift();
    if (answer === undefined) ending.abort();
    return typeof answer === "function" ? answer() : (answer ?? "");
  };
  const context = {
    ...{ output, question, signal: ending.signal, folder: paraph.folder, json: false, url: undefined },
    environment: { HOME: paraph.folder, PARAPH_URL: paraph.url, PARAPH_APPROVER_KEY: paraph.key("ana") },
  } as unknown as Context;
  await expect(watchApprovals(context, { notify: false })).rejects.toThrow("Interrupted.");
  return written.stderr;
}

it("`watch` asks about each waiting request, the oldest first, and sends the decision", async () => {
  const calls = [await ask("abe"), await ask("bea"), await ask("cy"), await ask("dan")];
  const shown = await watch("a", "d", "not now", "", async () => {
    // [P4] The request about which the person reads ends before the answer.
    await paraph.request("bot", "POST", `/v1/calls/${calls[3]}/withdrawal`, {});
    await ask("eve");
    return "a";
  });
  expect(await Promise.all(calls.map(outcomeOf))).toEqual(["succeeded", "denied", undefined, "cancelled"]);
  const order = ["Send to abe", "Send to bea", "Send to cy", "Send to dan", "Send to eve"];
  const places = order.map((text) => shown.indexOf(text));
  expect(places).toEqual([...places].sort((a, b) => a - b));
  expect(places).not.toContain(-1);
  expect(shown).toContain("Skipped. To decide later: paraph approve ask_");
  expect(shown).toMatch(/This approval is (void|closed)/);
});

it("`watch --json` prints a line per request until SIGINT, and a new request as it arrives", async () => {
  const cli = startCli(["watch", "--json"], {
    folder: paraph.folder,
    environment: { PARAPH_URL: paraph.url, PARAPH_APPROVER_KEY: paraph.key("ana") },
  });
  expect(JSON.parse(await cli.firstLine)).toMatchObject({ headline: "Send to cy", principal: "bot" });
  const arrived = new Promise<void>((done) => {
    cli.process.stdout!.on("data", (text: string) => {
      if (text.includes("Send to fay")) done();
    });
  });
  await ask("fay");
  await arrived;
  cli.process.kill("SIGINT");
  expect((await cli.ended).code).toBe(130);
});

it("[TRUST 5] a desktop notification has the request as an argument, never as a script or markup", () => {
  const about = { title: "Approval needed", text: '"); do shell <b>x</b>\u202e' };
  expect(findNotifyCommand("linux", { DISPLAY: ":0" }, about)?.slice(-3)).toEqual([
    "--",
    "Approval needed",
    '"); do shell &lt;b&gt;x&lt;/b&gt;&lt;U+202E&gt;',
  ]);
  expect(findNotifyCommand("darwin", {}, about)?.at(-1)).toBe('"); do shell <b>x</b><U+202E>');
  expect(findNotifyCommand("linux", {}, about)).toBeUndefined();
});
