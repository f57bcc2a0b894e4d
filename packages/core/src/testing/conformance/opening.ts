import type { ConformanceSuite } from "./harness.ts";
import { minute } from "./store-fixture.ts";

/** [P1] Tests that a store has one call per tenant, principal and idempotency key. */
export const openingSuite: ConformanceSuite = (prove, expect) => {
  prove("[P1] the store opens a call and returns every field of it", async (fixture) => {
    const newCall = await fixture.createCall({
      lockKeys: ["a", "b"],
      deadline: await fixture.harness.now(),
      principal: { ...fixture.createAgent(), onBehalfOf: "ana" },
      requirements: [
        {
          id: "mine",
          ruling: "ask",
          quorum: 1,
          urgency: "high",
          sentence: "Ask me.",
          group: "ops",
          withinMs: 5,
        },
      ],
    });
    expect(await fixture.store.open(newCall)).toEqual({ kind: "opened" });
    const { events, payloads, ...columns } = newCall;
    expect(await fixture.load(newCall.call)).toEqual({
      ...columns,
      epoch: 1,
      outcome: undefined,
      approval: undefined,
      attempts: [],
      events: events.map((event, index) => ({ seq: index + 1, ...event })),
      payloads: { input: { salt: payloads?.[0]?.salt, value: payloads?.[0]?.value } },
    });
  });

  prove("a call without session and trace is loaded without them", async (fixture) => {
    const call = await fixture.open({ session: {}, trace: undefined });
    expect([call.session, call.trace]).toEqual([{}, undefined]);
  });

  prove("the store returns nothing for a call, key or approval that does not exist", async (fixture) => {
    const { store, tenant } = fixture;
    expect(await store.load({ tenant, call: "call_none" })).toBe(undefined);
    expect(await store.findByKey(fixture.createAgent(), "none")).toBe(undefined);
    expect(await store.findByApproval(tenant, "ask_none")).toBe(undefined);
  });

  prove(
    "[P1] opening with a used idempotency key returns the existing call and writes nothing",
    async (fixture) => {
      const first = await fixture.open({ key: "same" });
      const second = await fixture.createCall({ key: "same", state: "queued" });
      expect(await fixture.store.open(second)).toEqual({ kind: "exists", call: first });
      expect(await fixture.store.load(second)).toBe(undefined);
      expect(await fixture.load(first.call)).toEqual(first);
      expect(await fixture.store.findByKey(fixture.createAgent(), "same")).toEqual(first);
    },
  );

  prove("[P1] repeating an opening after an unseen commit returns the existing call", async (fixture) => {
    const newCall = await fixture.createCall();
    await fixture.store.open(newCall);
    expect(await fixture.store.open(newCall)).toEqual({
      kind: "exists",
      call: await fixture.load(newCall.call),
    });
  });

  prove("[P1] two principals can use the same idempotency key for different calls", async (fixture) => {
    const other = fixture.createAgent("other");
    await fixture.harness.addPrincipal(other);
    const first = await fixture.open({ key: "same" });
    const second = await fixture.open({ key: "same", principal: other });
    expect((await fixture.store.findByKey(fixture.createAgent(), "same"))?.call).toBe(first.call);
    expect((await fixture.store.findByKey(other, "same"))?.call).toBe(second.call);
  });

  prove("[P1] of 20 concurrent openings with one key, one opens a call and 19 return it", async (fixture) => {
    const all = await Promise.all(Array.from({ length: 20 }, () => fixture.createCall({ key: "same" })));
    const results = await Promise.all(all.map((given) => fixture.store.open(given)));
    const winners = all.filter((_, index) => results[index]?.kind === "opened");
    expect(winners.length).toBe(1);
    const named = results.flatMap((result) => (result.kind === "exists" ? [result.call.call] : []));
    expect(named).toEqual(Array.from({ length: 19 }, () => winners[0]?.call));
  });

  prove("[P1] an idempotency key stays used after its call closes", async (fixture) => {
    const call = await fixture.open({ key: "same" });
    await fixture.close(call.call);
    expect(await fixture.store.open(await fixture.createCall({ key: "same" }))).toEqual({
      kind: "exists",
      call: await fixture.load(call.call),
    });
  });

  prove(
    "[P2] a call that opens as closed gets its outcome and receipt in one transaction",
    async (fixture) => {
      const receipt = fixture.createReceipt();
      const outcome = { kind: "refused", code: "forbidden" } as const;
      const call = await fixture.open({ state: "closed", nextAt: undefined, outcome, receipt });
      expect([call.state, call.outcome, call.nextAt]).toEqual(["closed", outcome, undefined]);
      expect(await fixture.harness.listReceipts(call.call)).toEqual([receipt]);
      expect(await fixture.commit(call)).toEqual({ kind: "lost" });
    },
  );

  prove("a call that opens as asking has its round, and the approval id finds the call", async (fixture) => {
    const ask = await fixture.createRound();
    const call = await fixture.open({ state: "asking", ask });
    expect(call.approval).toEqual({ ...ask, status: "open", votes: [] });
    expect(await fixture.store.findByApproval(fixture.tenant, ask.id)).toEqual(call);
    expect(await fixture.store.findByApproval(`${fixture.tenant}x`, ask.id)).toBe(undefined);
  });

  prove(
    "[P7] the store opens a call with its intent, and knows whether the writing process is gone",
    async (fixture) => {
      const newCall = await fixture.createCall({ state: "performing" });
      const intent = { attempt: 1, at: newCall.createdAt, deadline: newCall.createdAt + minute };
      expect(await fixture.store.open({ ...newCall, intent })).toEqual({ kind: "opened" });
      const { attempts } = await fixture.load(newCall.call);
      expect(attempts).toEqual([{ number: 1, at: intent.at, deadline: intent.deadline, writerGone: false }]);
      const other = await fixture.harness.startOtherProcess();
      const theirs = await fixture.createCall({ state: "performing" });
      await other.store.open({ ...theirs, intent });
      await other.die();
      expect((await fixture.load(theirs.call)).attempts[0]?.writerGone).toBe(true);
    },
  );

  prove("a loaded call has the current groups of its principal", async (fixture) => {
    const { call, principal } = await fixture.open();
    expect(principal).toEqual(fixture.createAgent());
    await fixture.harness.admin.setGroups(principal.id, ["ops", "eng"]);
    expect((await fixture.load(call)).principal.groups).toEqual(["eng", "ops"]);
    await fixture.harness.admin.setGroups(principal.id, []);
    expect((await fixture.load(call)).principal).toEqual(fixture.createAgent());
  });

  prove("the store counts only people of the tenant who are not excluded", async (fixture) => {
    const { store, harness, tenant } = fixture;
    const person = (id: string) => harness.addPrincipal({ tenant, id, kind: "person" });
    expect(await store.hasOtherPerson(tenant, [])).toBe(false);
    await person("ana");
    expect(await store.hasOtherPerson(tenant, [])).toBe(true);
    expect(await store.hasOtherPerson(tenant, ["ana", "agent"])).toBe(false);
    await person("bo");
    expect(await store.hasOtherPerson(tenant, ["ana"])).toBe(true);
    expect(await store.hasOtherPerson(`${tenant}x`, [])).toBe(false);
  });

  prove(
    "[TRUST 33] [TRUST 34] the store counts a person from the first sign-in until they are disabled",
    async (fixture) => {
      const { store, harness, tenant } = fixture;
      const counts = () => store.hasOtherPerson(tenant, ["ana"]);
      await harness.addPrincipal({ tenant, id: "ana", kind: "person" });
      await harness.admin.invite("bo");
      expect(await counts()).toBe(false);
      await harness.admin.signIn("bo");
      expect(await counts()).toBe(true);
      await harness.admin.signIn("bo");
      await harness.admin.disable("bo");
      expect(await counts()).toBe(false);
    },
  );
};
