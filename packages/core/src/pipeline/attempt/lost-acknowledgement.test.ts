import { expect, it } from "vitest";
import { z } from "zod";
import { createTestPipeline, testAgent, testTenant } from "../../../../../test/support/test-pipeline.ts";
import { defineCapability } from "../../capability/capability.ts";
import { Catalog } from "../../capability/catalog.ts";
import type { Ports } from "../../ports.ts";
import { createPlainPolicy } from "../../testing/plain-policy.ts";
import { admit } from "../admission/admit.ts";
import { advance } from "../advance.ts";

/**
 * Admits a call whose intent is committed, but whose process never receives the acknowledgement, as when the primary of
 * PostgreSQL is cut off. The process lives and did not act. Returns the outcome after the deadline.
 */
async function loseAcknowledgement() {
  const { store, clock, ports } = await createTestPipeline("lost-acknowledgement");
  let effects = 0;
  const send = defineCapability({
    name: "mail.send",
    version: 1,
    summary: "Send a message",
    effect: "write",
    idempotency: "none",
    input: z.object({}),
    output: z.object({}),
    timeout: "8s",
    apply: async () => {
      effects += 1;
      return {};
    },
  });
  const given = { policy: createPlainPolicy({ "mail.send": "allow" }), catalog: new Catalog([send]) };
  let opened: string | undefined;
  const open: Ports["store"]["open"] = async (call) => {
    await store.open(call);
    opened = call.call;
    throw new Error("Connection terminated unexpectedly");
  };
  const cutOff = new Proxy(store, {
    get: (target, name) => {
      const member = name === "open" ? open : Reflect.get(target, name, target);
      return typeof member === "function" ? member.bind(target) : member;
    },
  });
  const request = { principal: testAgent, capability: "mail.send", input: {}, key: "k1" };
  await expect(admit(request, ports({ ...given, store: cutOff }), () => true)).rejects.toThrow("terminated");
  const ref = { tenant: testTenant, call: opened! };
  const before = await store.load(ref);
  await clock.advance(60_000);
  await advance(ref, ports(given));
  return { before, after: await store.load(ref), effects: () => effects };
}

it("the lost acknowledgement leaves an intent of a live process, without an effect", async () => {
  const { before, effects } = await loseAcknowledgement();
  expect(before).toMatchObject({ state: "performing", attempts: [{ number: 1, writerGone: false }] });
  expect(effects()).toBe(0);
});

// A known defect, found by `npm run lab -- failover`. Paraph closes the call as unknown with the code `process-died`,
// although no process died and nothing was performed. Remove `.fails` together with the defect.
it.fails("a live process that did not act because of it does not make the outcome unknown", async () => {
  const { after } = await loseAcknowledgement();
  expect(after).not.toMatchObject({ outcome: { kind: "unknown" } });
});
