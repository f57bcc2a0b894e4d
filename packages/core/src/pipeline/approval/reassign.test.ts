import { describe, expect, it } from "vitest";
import { createMailbox } from "../../../../../test/support/mailbox.ts";
import { createPerson, testAgent, testTenant } from "../../../../../test/support/test-pipeline.ts";
import type { Call } from "../../call.ts";
import { createPlainPolicy } from "../../testing/plain-policy.ts";
import { admit } from "../admission/admit.ts";
import { acknowledge } from "./acknowledge.ts";
import { decide } from "./decide.ts";
import { reassign, recordReveal } from "./reassign.ts";

const roundOf = ({ approval }: Call) => ({ approval: approval!.id, digest: approval!.digest });

/** Creates a mailbox whose mails need the approvals of two members of `leads`. */
async function createGroupMailbox() {
  const mailbox = await createMailbox();
  mailbox.store.addPrincipal(createPerson("cy"));
  const ports = { ...mailbox.ports, policy: createPlainPolicy({ "mail.send": { ask: 2, group: "leads" } }) };
  const request = { principal: testAgent, capability: "mail.send", input: { to: "a", n: 1 } };
  const { call } = await admit(request, ports);
  return { ...mailbox, ports, call };
}

const lead = (id: string) => ({ ...createPerson(id), groups: ["leads"] });

describe("a reassigned approval", () => {
  it("lets the new approver vote in the groups of the former one, who no longer can", async () => {
    const { call, ports } = await createGroupMailbox();
    const { call: after } = await reassign({ ...roundOf(call), by: lead("ana"), to: "bo" }, ports);
    expect(after.events.at(-1)).toMatchObject({
      kind: "reassigned",
      data: { by: "ana", to: "bo", groups: ["leads"] },
    });
    await expect(
      decide({ ...roundOf(call), decision: "approve", voter: lead("ana") }, ports),
    ).rejects.toThrow("You reassigned this approval");
    const { call: voted } = await decide(
      { ...roundOf(call), decision: "approve", voter: createPerson("bo") },
      ports,
    );
    expect(voted.approval?.votes).toMatchObject([{ by: "bo", groups: ["leads"] }]);
  });

  it.each<[string, object]>([
    ["to its requester's owner", { to: "owner" }],
    ["to the approver", { to: "ana" }],
    ["to a person who is disabled", { isPerson: false }],
    ["by a person whose vote would not count", { by: createPerson("ana") }],
    ["by an agent", { by: testAgent }],
  ])("is refused %s", async (_what, change) => {
    const { call, ports, load } = await createGroupMailbox();
    const given = { ...roundOf(call), by: lead("ana"), to: "bo", ...change };
    await expect(reassign(given, ports)).rejects.toMatchObject({ code: "approver-not-allowed" });
    expect((await load(call)).events).toEqual(call.events);
  });

  it("is refused after the approver's own vote, for an unknown approval, and once the round is closed", async () => {
    const { call, ports } = await createGroupMailbox();
    const given = { ...roundOf(call), by: lead("ana"), to: "bo" };
    await decide({ ...roundOf(call), decision: "approve", voter: lead("ana") }, ports);
    await expect(reassign(given, ports)).rejects.toThrow("You have already voted");
    await expect(reassign({ ...given, approval: "apr_none" }, ports)).rejects.toMatchObject({
      code: "approval-unknown",
    });
    await decide({ ...roundOf(call), decision: "deny", voter: lead("cy") }, ports);
    await expect(reassign({ ...given, by: lead("bo"), to: "cy" }, ports)).rejects.toMatchObject({
      code: "approval-closed",
    });
  });

  it("is recorded although another event came first", async () => {
    const { call, ports, store } = await createGroupMailbox();
    let isFirst = true;
    const commit: typeof store.commit = async (given) => {
      if (isFirst) {
        isFirst = false;
        await acknowledge({ ...roundOf(call), by: lead("cy") }, ports);
      }
      return store.commit(given);
    };
    const slow = new Proxy(store, {
      get: (target, name) => (name === "commit" ? commit : Reflect.get(target, name).bind?.(target)),
    });
    const { call: after } = await reassign(
      { ...roundOf(call), by: lead("ana"), to: "bo" },
      { ...ports, store: slow },
    );
    expect(after.events.slice(-2).map(({ kind }) => kind)).toEqual(["acknowledged", "reassigned"]);
  });
});

describe("[TRUST 16] the reveal of sensitive fields", () => {
  it("is recorded with its paths before Paraph shows them", async () => {
    const { ask, ports } = await createMailbox();
    const call = await ask();
    const given = { call: { tenant: testTenant, call: call.call }, by: createPerson("ana"), paths: ["to"] };
    const noted = await recordReveal(given, ports);
    expect(noted.events.at(-1)).toMatchObject({ kind: "revealed", data: { by: "ana", paths: ["to"] } });
    expect(noted.state).toBe("asking");
  });

  it("is refused once the approval is closed", async () => {
    const { ask, decide, ports } = await createMailbox();
    const call = await ask();
    await decide(call, "deny");
    const given = { call: { tenant: testTenant, call: call.call }, by: createPerson("ana"), paths: ["to"] };
    await expect(recordReveal(given, ports)).rejects.toMatchObject({ code: "approval-closed" });
  });
});

describe("an acknowledgement", () => {
  it("is refused for an unknown approval, and by a person whose approval would not count", async () => {
    const { call, ports } = await createGroupMailbox();
    const given = { ...roundOf(call), by: createPerson("ana") };
    await expect(acknowledge(given, ports)).rejects.toMatchObject({ code: "approver-not-allowed" });
    await expect(acknowledge({ ...given, approval: "apr_none" }, ports)).rejects.toMatchObject({
      code: "approval-unknown",
    });
  });
});
