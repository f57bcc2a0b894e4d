import { faultKinds } from "../../capability/fault-kind.ts";
import type { Grant } from "../../grant.ts";
import type { ConformanceSuite } from "./harness.ts";
import { minute, type StoreFixture } from "./store-fixture.ts";

/** [TRUST 15] Tests that grants are spent exactly, at the intent, and end at their expiry. */
export const grantSuite: ConformanceSuite = (prove, expect) => {
  prove("the store returns every field of a grant and adds none", async (fixture) => {
    const plain = await createGrant(fixture, "g1");
    const full = await createGrant(fixture, "g2", {
      principal: "agent",
      amountLeft: 500,
      destroy: true,
      breakGlass: true,
      bounds: { "to.domain": { oneOf: ["a.org", "nul\u0000"] }, cents: { atMost: 0.1 } },
      people: [{ by: "ana", groups: ["ops"] }],
      given: { people: [{ by: "ana", groups: ["ops"] }], count: 5, amount: 600, seal: "k.s" },
      expiresAt: (await fixture.harness.now()) + 5 * minute,
    });
    expect(await fixture.store.grants(fixture.createAgent(), "bench.act")).toEqual([full, plain]);
  });

  prove(
    "[TRUST 15] a grant applies to its principal and capability until it expires or is revoked",
    async (fixture) => {
      await createGrant(fixture, "theirs", { principal: "other" });
      await createGrant(fixture, "elsewhere", { capability: "bench.look" });
      await createGrant(fixture, "soon", { expiresAt: (await fixture.harness.now()) + minute });
      await createGrant(fixture, "mine", { principal: "agent" });
      const ids = async () =>
        (await fixture.store.grants(fixture.createAgent(), "bench.act")).map(({ id }) => id);
      expect(await ids()).toEqual(["soon", "mine"]);
      await fixture.harness.advanceClock(minute);
      expect(await ids()).toEqual(["mine"]);
      await fixture.harness.admin.revoke("mine");
      expect(await ids()).toEqual([]);
    },
  );

  prove(
    "[TRUST 15] an intent spends a grant by count and by amount; an acceptance does not",
    async (fixture) => {
      await createGrant(fixture, "g1", { countLeft: 2, amountLeft: 100 });
      const grant = { id: "g1", amount: 60 };
      const call = await fixture.open({ gate: fixture.createGate({ grant }) });
      expect(await listAmountsLeft(fixture)).toEqual([[2, 100]]);
      await fixture.commitCurrent(call.call, await fixture.createIntent({ grant }));
      expect(await listAmountsLeft(fixture)).toEqual([[1, 40]]);
      expect(await fixture.openGated({ grant }, await fixture.createIntent({ grant }))).toEqual(
        grantSpentResult,
      );
      const small = { id: "g1", amount: 40 };
      expect(await fixture.openGated({ grant: small }, await fixture.createIntent({ grant: small }))).toEqual(
        {
          kind: "opened",
        },
      );
      expect(await listAmountsLeft(fixture)).toEqual([]);
      const free = { id: "g1", amount: 0 };
      expect(await fixture.openGated({ grant: free }, await fixture.createIntent({ grant: free }))).toEqual(
        grantSpentResult,
      );
    },
  );

  prove(
    "[TRUST 15] an expired, revoked or unknown grant stops the intent, and the store writes nothing",
    async (fixture) => {
      await createGrant(fixture, "g1");
      const grant = { id: "g1", amount: 0 };
      const call = await fixture.open();
      await fixture.harness.admin.revoke("g1");
      expect(await fixture.commit(call, await fixture.createIntent({ grant }))).toEqual(grantSpentResult);
      expect(await fixture.load(call.call)).toEqual(call);
      await createGrant(fixture, "g2");
      await fixture.harness.advanceClock(10 * minute);
      for (const id of ["g2", "none"])
        expect(await fixture.commit(call, await fixture.createIntent({ grant: { id, amount: 0 } }))).toEqual({
          kind: "stopped",
          stop: { reason: "grant-spent", grant: id },
        });
    },
  );

  prove(
    "an attempt that ends as not performed returns the grant; an attempt with any other end does not",
    async (fixture) => {
      const count = 9;
      await createGrant(fixture, "g1", { countLeft: count, amountLeft: 100 });
      const grant = { id: "g1", amount: 10 };
      let used = 0;
      for (const as of [...faultKinds, "succeeded", "lost"] as const) {
        const { call } = await fixture.open();
        await fixture.commitCurrent(call, await fixture.createIntent({ grant }));
        await fixture.commitCurrent(call, { state: "delayed", endAttempt: { attempt: 1, as } });
        if (as !== "not-performed") used += 1;
        expect([as, await listAmountsLeft(fixture)]).toEqual([as, [[count - used, 100 - used * 10]]]);
      }
    },
  );

  prove("an intent that a limit stops spends no grant", async (fixture) => {
    await createGrant(fixture, "g1", { countLeft: 1 });
    const grant = { id: "g1", amount: 0 };
    const limits = [fixture.createLimit({ kind: "concurrency", windowMs: 0, max: 0 })];
    const call = await fixture.open();
    expect((await fixture.commit(call, await fixture.createIntent({ grant, limits }))).kind).toBe("stopped");
    expect(await fixture.commit(call, await fixture.createIntent({ grant }))).toMatchObject({ kind: "done" });
  });

  prove("[TRUST 15] of 64 concurrent intents, exactly as many act as the grant has left", async (fixture) => {
    await createGrant(fixture, "g1", { countLeft: 40, amountLeft: 100 });
    const { store } = await fixture.harness.startOtherProcess();
    const grant = { id: "g1", amount: 5 };
    const gate = await fixture.createIntent({ grant });
    const all = Array.from({ length: 64 }, (_, i) =>
      fixture.openGated({ grant }, gate, i % 2 ? store : fixture.store),
    );
    const answers = await Promise.all(all);
    expect(answers.filter(({ kind }) => kind === "opened").length).toBe(20);
    expect(await listAmountsLeft(fixture)).toEqual([[20, 0]]);
  });
};

const grantSpentResult = { kind: "stopped", stop: { reason: "grant-spent", grant: "g1" } };

async function createGrant(fixture: StoreFixture, id: string, given: Partial<Grant> = {}): Promise<Grant> {
  const grant: Grant = {
    id,
    capability: "bench.act",
    bounds: {},
    people: [],
    countLeft: 5,
    expiresAt: (await fixture.harness.now()) + 10 * minute,
    ...given,
  };
  await fixture.harness.admin.grant(grant);
  return grant;
}

async function listAmountsLeft(fixture: StoreFixture) {
  const grants = await fixture.store.grants(fixture.createAgent(), "bench.act");
  return grants.map(({ countLeft, amountLeft }) => [countLeft, amountLeft]);
}
