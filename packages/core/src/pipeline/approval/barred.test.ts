import { expect, it } from "vitest";
import { createMailbox } from "../../../../../test/support/mailbox.ts";
import { createPerson, testAgent, testTenant } from "../../../../../test/support/test-pipeline.ts";
import { createPlainPolicy } from "../../testing/plain-policy.ts";
import { admit } from "../admission/admit.ts";
import { decide } from "./decide.ts";

const frozen = (subject: string) =>
  ({ id: `freeze_${subject}`, kind: "principal", subject, by: "bo" }) as const;

it("[TRUST 33] the vote of an approver who is frozen before the intent does not count, and a new round starts", async () => {
  const { ask, decide, advance, store, world } = await createMailbox();
  const call = await ask();
  await decide(call, "approve", createPerson("ana"));
  store.freeze(testTenant, frozen("ana"));
  const again = await advance(call);
  expect(again).toMatchObject({ state: "asking", approval: { round: 2, votes: [] } });
  expect(again.events.findLast(({ kind }) => kind === "round-closed")?.data).toMatchObject({
    status: "void",
    code: "approver-barred",
  });
  expect(world.effects).toEqual([]);
  await decide(again, "approve", createPerson("bo"));
  expect((await advance(call)).outcome).toMatchObject({ kind: "succeeded" });
});

it("[TRUST 33] if a quorum of two is needed, the vote of an approver who is frozen meanwhile does not count", async () => {
  const { ports, store } = await createMailbox();
  store.addPrincipal(createPerson("cy"));
  const two = { ...ports, policy: createPlainPolicy({ "mail.send": { ask: 2 } }) };
  const request = { principal: testAgent, capability: "mail.send", input: { to: "a", n: 1 } };
  const { call } = await admit(request, two);
  const { id: approval, digest } = call.approval!;
  const approve = async (voter: string) =>
    (await decide({ approval, digest, decision: "approve", voter: createPerson(voter) }, two)).call.state;
  await approve("ana");
  store.freeze(testTenant, frozen("ana"));
  expect(await approve("bo")).toBe("asking");
  expect(await approve("cy")).toBe("ready");
});
