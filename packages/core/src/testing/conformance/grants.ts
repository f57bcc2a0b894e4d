import type { Grant } from "../../grant.ts";
import type { ConformanceSuite } from "./harness.ts";
import { minute, type StoreFixture } from "./store-fixture.ts";

/** [TRUST 15] Tests that grants are spent exactly, at the intent, and end at their expiry. */
export const grantSuite: ConformanceSuite = (prove, expect) => {
  prove("gives back every field of a grant, and no field it lacks", async (bench) => {
    const plain = await createGrant(bench, "g1");
    const full = await createGrant(bench, "g2", {
      principal: "agent",
      amountLeft: 500,
      destroy: true,
      breakGlass: true,
      bounds: { "to.domain": { oneOf: ["a.org", "nul\u0000"] }, cents: { atMost: 0.1 } },
      people: [{ by: "ana", groups: ["ops"] }],
      given: { people: [{ by: "ana", groups: ["ops"] }], count: 5, amount: 600, seal: "k.s" },
      expiresAt: (await bench.harness.now()) + 5 * minute,
    });
    expect(await bench.store.grants(bench.createAgent(), "bench.act")).toEqual([full, plain]);
  });

  prove(
    "[TRUST 15] are for their principal and capability, until they expire or are revoked",
    async (bench) => {
      await createGrant(bench, "theirs", { principal: "other" });
      await createGrant(bench, "elsewhere", { capability: "bench.look" });
      await createGrant(bench, "soon", { expiresAt: (await bench.harness.now()) + minute });
      await createGrant(bench, "mine", { principal: "agent" });
      const ids = async () =>
        (await bench.store.grants(bench.createAgent(), "bench.act")).map(({ id }) => id);
      expect(await ids()).toEqual(["soon", "mine"]);
      await bench.harness.advanceClock(minute);
      expect(await ids()).toEqual(["mine"]);
      await bench.harness.admin.revoke("mine");
      expect(await ids()).toEqual([]);
    },
  );

  prove("[TRUST 15] an intent uses one up, by count and by amount; an acceptance does not", async (bench) => {
    await createGrant(bench, "g1", { countLeft: 2, amountLeft: 100 });
    const grant = { id: "g1", amount: 60 };
    const call = await bench.open({ gate: bench.createGate({ grant }) });
    expect(await listAmountsLeft(bench)).toEqual([[2, 100]]);
    await bench.commitCurrent(call.call, await bench.createIntent({ grant }));
    expect(await listAmountsLeft(bench)).toEqual([[1, 40]]);
    expect(await bench.openGated({ grant }, await bench.createIntent({ grant }))).toEqual(grantSpentResult);
    const small = { id: "g1", amount: 40 };
    expect(await bench.openGated({ grant: small }, await bench.createIntent({ grant: small }))).toEqual({
      kind: "opened",
    });
    expect(await listAmountsLeft(bench)).toEqual([]);
    const free = { id: "g1", amount: 0 };
    expect(await bench.openGated({ grant: free }, await bench.createIntent({ grant: free }))).toEqual(
      grantSpentResult,
    );
  });

  prove(
    "[TRUST 15] one that is expired, revoked or unknown stops the intent, and nothing is written",
    async (bench) => {
      await createGrant(bench, "g1");
      const grant = { id: "g1", amount: 0 };
      const call = await bench.open();
      await bench.harness.admin.revoke("g1");
      expect(await bench.commit(call, await bench.createIntent({ grant }))).toEqual(grantSpentResult);
      expect(await bench.load(call.call)).toEqual(call);
      await createGrant(bench, "g2");
      await bench.harness.advanceClock(10 * minute);
      for (const id of ["g2", "none"])
        expect(await bench.commit(call, await bench.createIntent({ grant: { id, amount: 0 } }))).toEqual({
          kind: "stopped",
          stop: { reason: "grant-spent", grant: id },
        });
    },
  );

  prove(
    "an attempt that ends as not performed gives the grant back, any other end does not",
    async (bench) => {
      await createGrant(bench, "g1", { countLeft: 3, amountLeft: 100 });
      const grant = { id: "g1", amount: 10 };
      for (const [as, after] of [
        ["not-performed", [3, 100]],
        ["ambiguous", [2, 90]],
        ["succeeded", [1, 80]],
      ] as const) {
        const { call } = await bench.open();
        await bench.commitCurrent(call, await bench.createIntent({ grant }));
        await bench.commitCurrent(call, { state: "delayed", endAttempt: { attempt: 1, as } });
        expect(await listAmountsLeft(bench)).toEqual([after]);
      }
    },
  );

  prove("what stops at a limit uses no grant up", async (bench) => {
    await createGrant(bench, "g1", { countLeft: 1 });
    const grant = { id: "g1", amount: 0 };
    const limits = [bench.createLimit({ kind: "concurrency", windowMs: 0, most: 0 })];
    const call = await bench.open();
    expect((await bench.commit(call, await bench.createIntent({ grant, limits }))).kind).toBe("stopped");
    expect(await bench.commit(call, await bench.createIntent({ grant }))).toMatchObject({ kind: "done" });
  });

  prove("[TRUST 15] of 64 intents at once exactly as many act as the grant has left", async (bench) => {
    await createGrant(bench, "g1", { countLeft: 40, amountLeft: 100 });
    const { store } = await bench.harness.startOtherProcess();
    const grant = { id: "g1", amount: 5 };
    const gate = await bench.createIntent({ grant });
    const all = Array.from({ length: 64 }, (_, i) =>
      bench.openGated({ grant }, gate, i % 2 ? store : bench.store),
    );
    const answers = await Promise.all(all);
    expect(answers.filter(({ kind }) => kind === "opened").length).toBe(20);
    expect(await listAmountsLeft(bench)).toEqual([[20, 0]]);
  });
};

const grantSpentResult = { kind: "stopped", stop: { reason: "grant-spent", grant: "g1" } };

async function createGrant(bench: StoreFixture, id: string, given: Partial<Grant> = {}): Promise<Grant> {
  const grant: Grant = {
    id,
    capability: "bench.act",
    bounds: {},
    people: [],
    countLeft: 5,
    expiresAt: (await bench.harness.now()) + 10 * minute,
    ...given,
  };
  await bench.harness.admin.grant(grant);
  return grant;
}

async function listAmountsLeft(bench: StoreFixture) {
  const grants = await bench.store.grants(bench.createAgent(), "bench.act");
  return grants.map(({ countLeft, amountLeft }) => [countLeft, amountLeft]);
}
