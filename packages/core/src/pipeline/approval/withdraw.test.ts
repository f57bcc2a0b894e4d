import { expect, it } from "vitest";
import { z } from "zod";
import { createTestPipeline, testAgent } from "../../../../../test/support/test-pipeline.ts";
import { defineCapability } from "../../capability/capability.ts";
import { Catalog } from "../../capability/catalog.ts";
import { createPlainPolicy } from "../../testing/plain-policy.ts";
import { admit } from "../admission/admit.ts";
import { advance } from "../advance.ts";
import { withdrawCall } from "./withdraw.ts";

/** Starts a call that stays in the middle of its effect until `go` is called. */
async function acting(ends: () => void) {
  const pipeline = await createTestPipeline("withdraw");
  let go = () => {};
  const held = new Promise<void>((resolve) => {
    go = resolve;
  });
  let begun = () => {};
  const began = new Promise<void>((resolve) => {
    begun = resolve;
  });
  const send = defineCapability({
    name: "mail.send",
    version: 1,
    summary: "Sends",
    effect: "write",
    idempotency: "none",
    input: z.object({}),
    output: z.object({}),
    retry: { retries: 0 },
    apply: async () => {
      begun();
      await held;
      ends();
      return {};
    },
  });
  const policy = createPlainPolicy({ "mail.send": "allow" });
  const ports = pipeline.ports({ catalog: new Catalog([send]), policy });
  const { call } = await admit({ principal: testAgent, capability: "mail.send", input: {} }, ports);
  const ended = advance(call, ports);
  await began;
  return { call: call.call, ports, ended, go };
}

it("[P4] [P7] a call cannot be withdrawn while it acts, because its effect may happen", async () => {
  const { call, ports, ended, go } = await acting(() => {});
  await expect(withdrawCall({ call, by: testAgent }, ports)).rejects.toMatchObject({ code: "call-acting" });
  go();
  expect((await ended).call).toMatchObject({ outcome: { kind: "succeeded" } });
});

it("[P4] [P7] a call with an unknown outcome cannot be withdrawn", async () => {
  const { call, ports, ended, go } = await acting(() => {
    throw Object.assign(new Error("reset"), { code: "ECONNRESET" });
  });
  go();
  expect((await ended).call).toMatchObject({ outcome: { kind: "unknown" } });
  await expect(withdrawCall({ call, by: testAgent }, ports)).rejects.toMatchObject({ code: "call-closed" });
});
