import { expect, it } from "vitest";
import { createMailbox } from "../../../../../test/support/mailbox.ts";
import { createPerson } from "../../../../../test/support/test-pipeline.ts";
import { createPlainPolicy } from "../../testing/plain-policy.ts";

it("[P5] if policy demands more people after an approval, Paraph asks again and says that the approval is insufficient", async () => {
  const { ask, decide, advance, ports, world } = await createMailbox();
  const call = await ask();
  await decide(call, "approve", createPerson("ana"));
  const two = { ...ports, policy: createPlainPolicy({ "mail.send": { ask: 2 } }) };
  const again = await advance(call, two);
  expect(again).toMatchObject({ state: "asking", approval: { round: 2, votes: [] } });
  expect(again.events.findLast(({ kind }) => kind === "round-closed")?.data).toMatchObject({
    status: "void",
    code: "approval-insufficient",
  });
  expect(world.effects).toEqual([]);
});
