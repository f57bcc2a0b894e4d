import type { ConformanceSuite } from "./harness.ts";
import { minute } from "./store-fixture.ts";

/** [P1] Tests that a store has one call per tenant, principal and idempotency key. */
export const openingSuite: ConformanceSuite = (prove, expect) => {
  prove("[P1] opens a call and gives back every field of it", async (bench) => {
    const given = await bench.createCall({
      lockKeys: ["a", "b"],
      deadline: await bench.harness.now(),
      principal: { ...bench.createAgent(), onBehalfOf: "ana" },
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
    expect(await bench.store.open(given)).toEqual({ kind: "opened" });
    const { events, payloads, ...columns } = given;
    expect(await bench.load(given.call)).toEqual({
      ...columns,
      epoch: 1,
      outcome: undefined,
      approval: undefined,
      attempts: [],
      events: events.map((event, index) => ({ seq: index + 1, ...event })),
      payloads: { input: { salt: payloads?.[0]?.salt, value: payloads?.[0]?.value } },
    });
  });

  prove("a call without session and trace stays without", async (bench) => {
    const call = await bench.open({ session: {}, trace: undefined });
    expect([call.session, call.trace]).toEqual([{}, undefined]);
  });

  prove("knows nothing of what was never opened", async (bench) => {
    const { store, tenant } = bench;
    expect(await store.load({ tenant, call: "call_none" })).toBe(undefined);
    expect(await store.findByKey(bench.createAgent(), "none")).toBe(undefined);
    expect(await store.findByApproval(tenant, "ask_none")).toBe(undefined);
  });

  prove("[P1] a key that is taken names its call and writes nothing", async (bench) => {
    const first = await bench.open({ key: "same" });
    const second = await bench.createCall({ key: "same", state: "queued" });
    expect(await bench.store.open(second)).toEqual({ kind: "exists", call: first });
    expect(await bench.store.load(second)).toBe(undefined);
    expect(await bench.load(first.call)).toEqual(first);
    expect(await bench.store.findByKey(bench.createAgent(), "same")).toEqual(first);
  });

  prove("[P1] the same opening again, as after an unseen commit, exists", async (bench) => {
    const given = await bench.createCall();
    await bench.store.open(given);
    expect(await bench.store.open(given)).toEqual({ kind: "exists", call: await bench.load(given.call) });
  });

  prove("[P1] a key belongs to its principal", async (bench) => {
    const other = bench.createAgent("other");
    await bench.harness.addPrincipal(other);
    const first = await bench.open({ key: "same" });
    const second = await bench.open({ key: "same", principal: other });
    expect((await bench.store.findByKey(bench.createAgent(), "same"))?.call).toBe(first.call);
    expect((await bench.store.findByKey(other, "same"))?.call).toBe(second.call);
  });

  prove("[P1] of 20 openings at once with one key, one opens and 19 are told which", async (bench) => {
    const all = await Promise.all(Array.from({ length: 20 }, () => bench.createCall({ key: "same" })));
    const results = await Promise.all(all.map((given) => bench.store.open(given)));
    const winners = all.filter((_, index) => results[index]?.kind === "opened");
    expect(winners.length).toBe(1);
    const named = results.flatMap((result) => (result.kind === "exists" ? [result.call.call] : []));
    expect(named).toEqual(Array.from({ length: 19 }, () => winners[0]?.call));
  });

  prove("[P1] a key that is taken stays taken once its call has closed", async (bench) => {
    const call = await bench.open({ key: "same" });
    await bench.close(call.call);
    expect(await bench.store.open(await bench.createCall({ key: "same" }))).toEqual({
      kind: "exists",
      call: await bench.load(call.call),
    });
  });

  prove("[P2] opened closed: outcome and receipt in one transaction", async (bench) => {
    const receipt = bench.createReceipt();
    const outcome = { kind: "refused", code: "forbidden" } as const;
    const call = await bench.open({ state: "closed", nextAt: undefined, outcome, receipt });
    expect([call.state, call.outcome, call.nextAt]).toEqual(["closed", outcome, undefined]);
    expect(await bench.harness.listReceipts(call.call)).toEqual([receipt]);
    expect(await bench.commit(call)).toEqual({ kind: "lost" });
  });

  prove("opened asking: the round is there and finds its call", async (bench) => {
    const ask = await bench.createRound();
    const call = await bench.open({ state: "asking", ask });
    expect(call.approval).toEqual({ ...ask, status: "open", votes: [] });
    expect(await bench.store.findByApproval(bench.tenant, ask.id)).toEqual(call);
    expect(await bench.store.findByApproval(`${bench.tenant}x`, ask.id)).toBe(undefined);
  });

  prove("[P7] opens a call with its intent already written, by this process", async (bench) => {
    const opening = await bench.createCall({ state: "performing" });
    const intent = { attempt: 1, at: opening.createdAt, deadline: opening.createdAt + minute };
    expect(await bench.store.open({ ...opening, intent })).toEqual({ kind: "opened" });
    const { attempts } = await bench.load(opening.call);
    expect(attempts).toEqual([{ number: 1, at: intent.at, deadline: intent.deadline, writerGone: false }]);
    const other = await bench.harness.startOtherProcess();
    const theirs = await bench.createCall({ state: "performing" });
    await other.store.open({ ...theirs, intent });
    await other.die();
    expect((await bench.load(theirs.call)).attempts[0]?.writerGone).toBe(true);
  });

  prove("a call's principal is in the groups it is in now", async (bench) => {
    const { call, principal } = await bench.open();
    expect(principal).toEqual(bench.createAgent());
    await bench.harness.admin.setGroups(principal.id, ["ops", "eng"]);
    expect((await bench.load(call)).principal.groups).toEqual(["eng", "ops"]);
    await bench.harness.admin.setGroups(principal.id, []);
    expect((await bench.load(call)).principal).toEqual(bench.createAgent());
  });

  prove("counts people, of this tenant only, besides those excepted", async (bench) => {
    const { store, harness, tenant } = bench;
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
    "[TRUST 33] [TRUST 34] counts a person from their first sign-in on, until they are disabled",
    async (bench) => {
      const { store, harness, tenant } = bench;
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
