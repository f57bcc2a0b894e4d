import { expect, it } from "vitest";
import { z } from "zod";
import {
  createPerson,
  createTestPipeline,
  testAgent,
  testTenant,
} from "../../../../../test/support/test-pipeline.ts";
import { defineCapability } from "../../capability/capability.ts";
import { Catalog } from "../../capability/catalog.ts";
import { createPlainPolicy } from "../../testing/plain-policy.ts";
import { admit } from "../admission/admit.ts";
import { advance } from "../advance.ts";
import { decide } from "./decide.ts";

/**
 * Creates a payment capability that asks approvers for the amount. Records the payments and the people who approved
 * them.
 */
async function cashier(people: number) {
  const pipeline = await createTestPipeline("answers");
  for (const id of ["bo", "cy"]) pipeline.store.addPrincipal(createPerson(id));
  const paid: unknown[] = [];
  const pay = defineCapability({
    name: "pay.choose",
    version: 1,
    summary: "Pays",
    effect: "write",
    idempotency: "none",
    input: z.object({ to: z.string() }),
    output: z.object({}),
    answer: () => z.object({ cents: z.int() }),
    apply: async (_input, { answer, approvers }) => {
      paid.push({ answer, approvers: approvers.map(({ by }) => by) });
      return {};
    },
  });
  const portsAsking = (ask: number) =>
    pipeline.ports({ policy: createPlainPolicy({ "pay.choose": { ask } }), catalog: new Catalog([pay]) });
  const ports = portsAsking(people);
  const { call } = await admit({ principal: testAgent, capability: "pay.choose", input: { to: "x" } }, ports);
  const { id: approval, digest } = call.approval!;
  const load = async () => (await pipeline.store.load({ tenant: testTenant, call: call.call }))!;
  return {
    paid,
    load,
    portsAsking,
    go: async (own = ports) => {
      await advance(call, own);
      return load();
    },
    answer: async (voter: string, cents: number) => {
      const given = {
        approval,
        digest,
        decision: "approve",
        voter: createPerson(voter),
        answer: { cents },
      } as const;
      return (await decide(given, ports)).call.state;
    },
  };
}

it("[TRUST 13] only votes with the same answer count towards a quorum", async () => {
  const { answer, go, paid } = await cashier(2);
  expect(await answer("ana", 10)).toBe("asking");
  expect(await answer("bo", 1_000_000)).toBe("asking");
  expect(await answer("cy", 10)).toBe("ready");
  await go();
  expect(paid).toEqual([{ answer: { cents: 10 }, approvers: ["ana", "cy"] }]);
});

it("[TRUST 13] a new vote with another answer replaces the approver's earlier vote and answer", async () => {
  const { answer, go, paid } = await cashier(2);
  await answer("ana", 10);
  await answer("bo", 20);
  expect(await answer("ana", 20)).toBe("ready");
  await go();
  expect(paid).toEqual([{ answer: { cents: 20 }, approvers: ["bo", "ana"] }]);
});

it("[P5] if policy requires more people before the intent, votes for another answer do not count", async () => {
  const { answer, go, paid, portsAsking } = await cashier(2);
  await answer("bo", 1_000_000);
  await answer("ana", 10);
  expect(await answer("cy", 10)).toBe("ready");
  expect(await go(portsAsking(3))).toMatchObject({ state: "asking", approval: { round: 2 } });
  expect(paid).toEqual([]);
});
