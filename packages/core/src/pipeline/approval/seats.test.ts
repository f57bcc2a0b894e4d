import { expect, it } from "vitest";
import { createMailbox } from "../../../../../test/support/mailbox.ts";
import { createPerson, testAgent, testTenant } from "../../../../../test/support/test-pipeline.ts";
import type { Guard } from "../../policy/policy.ts";
import type { Ports } from "../../ports.ts";
import { admit } from "../admission/admit.ts";
import { advance } from "../advance.ts";
import { decide } from "./decide.ts";
import { reassign } from "./reassign.ts";

const asks = (id: string, quorum: number, group?: string): Guard => ({
  id,
  ruling: "ask",
  quorum,
  urgency: "normal",
  sentence: `${id} is asked about.`,
  ...(group !== undefined && { group }),
});

const hour = 3_600_000;

/**
 * Creates a tenant in which `fay` and `gus` are in finance, `lea` is in legal, and `ana`, `bo` and `cy` are in no
 * group.
 */
async function office(...guards: readonly Guard[]) {
  const { ports, store, clock } = await createMailbox();
  const groups: Record<string, readonly string[]> = { fay: ["finance"], gus: ["finance"], lea: ["legal"] };
  for (const id of ["fay", "gus", "lea", "cy"]) store.addPrincipal(who(id));
  function who(id: string) {
    return { ...createPerson(id), ...(groups[id] && { groups: groups[id] }) };
  }
  const set = ports.policy.current(testTenant);
  const named = new Map(guards.map((guard) => [guard.id, guard]));
  const current: Ports["policy"]["current"] = () => ({
    ...set,
    guards: named,
    evaluate: ({ discharged }) => {
      const open = guards.map(({ id }) => id).filter((id) => !discharged.includes(id));
      return open.length > 0
        ? { decision: "deny", policies: open, errors: [] }
        : { decision: "allow", policies: ["permitted"], errors: [] };
    },
  });
  const own = { ...ports, policy: { ...ports.policy, current } };
  const request = { principal: testAgent, capability: "mail.send", input: { to: "a", n: 1 } };
  const { call } = await admit(request, own);
  const { id: approval, digest } = call.approval!;
  return {
    freeze: (subject: string) =>
      store.freeze(testTenant, { id: `freeze_${subject}`, kind: "principal", subject, by: "ana" }),
    advance: async () => {
      await advance({ tenant: testTenant, call: call.call }, own);
      return (await store.load({ tenant: testTenant, call: call.call }))!;
    },
    approve: (id: string) =>
      decide({ approval, digest, decision: "approve", voter: who(id) }, own).then(
        ({ call }) => call.state,
        ({ code }: { code: string }) => code,
      ),
    reassign: (by: string, to: string) =>
      reassign({ approval, digest, by: who(by), to }, own).then(
        () => "done",
        ({ code }: { code: string }) => code,
      ),
    delegate: (absent: string, delegate: string) =>
      store.people.delegate(testTenant, {
        id: `${absent}-${delegate}`,
        person: absent,
        delegate,
        from: clock.now(),
        until: clock.now() + hour,
      }),
  };
}

it("[TRUST 13] one person's groups count once if the person and a delegate vote, in either order", async () => {
  for (const order of [
    ["fay", "bo"],
    ["bo", "fay"],
  ] as const) {
    const { approve, delegate } = await office(asks("two", 2, "finance"));
    delegate("fay", "bo");
    expect([await approve(order[0]), await approve(order[1])]).toEqual(["asking", "approver-not-allowed"]);
    expect(await approve("gus")).toBe("ready");
  }
});

it("[TRUST 13] one person's groups count once if several delegates of the person vote", async () => {
  const { approve, delegate } = await office(asks("two", 2, "finance"));
  delegate("fay", "bo");
  delegate("fay", "cy");
  expect([await approve("bo"), await approve("cy")]).toEqual(["asking", "approver-not-allowed"]);
});

it("[TRUST 34] a reassignment passes on only the giver's groups, not the group of another guard", async () => {
  const { approve, reassign } = await office(asks("money", 1, "finance"), asks("law", 1, "legal"));
  expect(await reassign("fay", "bo")).toBe("done");
  expect(await approve("bo")).toBe("asking");
  expect(await approve("lea")).toBe("ready");
});

it("[TRUST 34] a reassignment by a person in no group passes on no group", async () => {
  const { approve, reassign } = await office(asks("anybody", 1), asks("money", 1, "finance"));
  expect(await reassign("bo", "cy")).toBe("done");
  expect(await approve("cy")).toBe("asking");
  expect(await approve("gus")).toBe("ready");
});

it("[TRUST 34] a delegate cannot reassign an approval with the delegated groups", async () => {
  const { approve, delegate, reassign } = await office(asks("money", 1, "finance"));
  delegate("fay", "bo");
  expect(await reassign("bo", "cy")).toBe("approver-not-allowed");
  expect(await approve("cy")).toBe("approver-not-allowed");
  expect(await approve("bo")).toBe("ready");
});

it("[TRUST 13] after a reassignment, neither the giver nor the giver's delegate can vote", async () => {
  const { approve, delegate, reassign } = await office(asks("two", 2, "finance"));
  delegate("fay", "bo");
  expect(await reassign("fay", "cy")).toBe("done");
  expect([await approve("cy"), await approve("bo")]).toEqual(["asking", "approver-not-allowed"]);
  expect(await approve("fay")).toBe("approver-not-allowed");
});

it("[TRUST 34] after two reassignments, the third person votes with the first one's groups, and the second cannot", async () => {
  const { approve, reassign } = await office(asks("money", 1, "finance"));
  expect([await reassign("fay", "bo"), await reassign("bo", "cy")]).toEqual(["done", "done"]);
  expect([await approve("bo"), await approve("cy")]).toEqual(["approver-not-allowed", "ready"]);
});

it.each(["delegate", "reassign"])(
  "[TRUST 33] a vote on behalf of a person who is frozen before the intent does not count: %s",
  async (way) => {
    const { approve, delegate, reassign, freeze, advance } = await office(asks("money", 1, "finance"));
    if (way === "delegate") delegate("fay", "bo");
    else await reassign("fay", "bo");
    expect(await approve("bo")).toBe("ready");
    freeze("fay");
    expect(await advance()).toMatchObject({ state: "asking", approval: { round: 2, votes: [] } });
  },
);

it("[TRUST 33] a reassignment does not count if its giver is frozen before the vote", async () => {
  const { approve, reassign, freeze } = await office(asks("money", 1, "finance"));
  await reassign("fay", "bo");
  freeze("fay");
  expect(await approve("bo")).toBe("approver-not-allowed");
  expect(await approve("gus")).toBe("ready");
});
