import type { Call } from "../../call.ts";
import type { Finding } from "../../receipts/resolution.ts";
import type { NewResolution } from "../../store.ts";
import type { ConformanceSuite } from "./harness.ts";
import { day, type StoreFixture } from "./store-fixture.ts";

/**
 * [P7] Tests that the finding about an unknown outcome is recorded once, and that the call then releases everything it
 * kept.
 */
export const resolutionSuite: ConformanceSuite = (prove, expect) => {
  prove("[P7] a finding is recorded beside the outcome and does not change it", async (fixture) => {
    const call = await openUnknownCall(fixture);
    const receipts = await fixture.harness.listReceipts(call.call);
    const given = await createResolution(fixture, call);
    expect(await fixture.store.resolve(given)).toEqual({ kind: "done", epoch: call.epoch + 1, wake: [] });
    const after = await fixture.load(call.call);
    expect(after).toEqual({
      ...call,
      epoch: call.epoch + 1,
      resolution: given.resolution,
      events: [...call.events, { seq: call.events.length + 1, ...given.event }],
      payloads: { ...call.payloads, reason: { salt: "salt", value: "I looked." } },
    });
    expect(await fixture.harness.listReceipts(call.call)).toEqual(receipts);
    expect(await fixture.harness.listStatements(call.call)).toEqual([given.statement]);
  });

  prove("[P7] a second finding is lost and writes nothing, whatever epoch it names", async (fixture) => {
    const call = await openUnknownCall(fixture);
    await fixture.store.resolve(await createResolution(fixture, call));
    const once = await fixture.load(call.call);
    const statements = await fixture.harness.listStatements(call.call);
    for (const stale of [call, once])
      expect(await fixture.store.resolve(await createResolution(fixture, stale, "not-happened"))).toEqual({
        kind: "lost",
      });
    expect(await fixture.load(call.call)).toEqual(once);
    expect(await fixture.harness.listStatements(call.call)).toEqual(statements);
  });

  prove(
    "[fence] a finding at another epoch, or about a known outcome, an open call or a missing call, is lost",
    async (fixture) => {
      const call = await openUnknownCall(fixture);
      const off = await createResolution(fixture, { ...call, epoch: call.epoch + 1 });
      expect(await fixture.store.resolve(off)).toEqual({ kind: "lost" });
      const open = await fixture.open();
      expect(await fixture.store.resolve(await createResolution(fixture, open))).toEqual({ kind: "lost" });
      await fixture.close(open.call);
      const failed = await fixture.load(open.call);
      expect(await fixture.store.resolve(await createResolution(fixture, failed))).toEqual({ kind: "lost" });
      const nobody = await createResolution(fixture, { ...call, call: "call_none" });
      expect(await fixture.store.resolve(nobody)).toEqual({ kind: "lost" });
      expect([await fixture.load(call.call), await fixture.load(open.call)]).toEqual([call, failed]);
    },
  );

  prove("[P7] a finding gives the call's locks to the next call that waits for them", async (fixture) => {
    const call = await openUnknownCall(fixture, ["a", "b"]);
    const waiter = await fixture.open({ lockKeys: ["b"] });
    expect(await fixture.lock(waiter.call)).toMatchObject({ kind: "queued" });
    const { epoch } = await fixture.load(waiter.call);
    expect(await fixture.store.resolve(await createResolution(fixture, call))).toMatchObject({
      wake: [{ tenant: fixture.tenant, call: waiter.call, epoch: epoch + 1 }],
    });
    expect((await fixture.harness.sweep()).map((wake) => wake.call)).toEqual([waiter.call]);
    expect(await fixture.lock(waiter.call)).toMatchObject({ kind: "held" });
  });

  for (const [finding, spent, left] of [
    ["happened", 6, 4],
    ["not-happened", 0, 10],
  ] as const) {
    prove(`what was reserved is settled: ${finding} leaves ${left} of 10`, async (fixture) => {
      const limit = (amount: number) =>
        fixture.createLimit({ kind: "money", windowMs: day, max: 10, amount });
      const gate = { limits: [limit(6)], spend: { principal: "agent", amount: 6 } };
      const call = await openUnknownCall(fixture, [], gate);
      const spentToday = async () => (await fixture.store.usage(fixture.createAgent())).spentToday;
      expect(await spentToday()).toBe(6);
      await fixture.store.resolve({ ...(await createResolution(fixture, call, finding)), settle: { spent } });
      expect(await spentToday()).toBe(spent);
      const intends = async (amount: number) => {
        const { call: id } = await fixture.open();
        return (await fixture.commitCurrent(id, await fixture.createIntent({ limits: [limit(amount)] })))
          .kind;
      };
      expect(await intends(left + 1)).toBe("stopped");
      expect(await intends(left)).toBe("done");
    });
  }

  prove("exactly one of ten concurrent findings is recorded", async (fixture) => {
    const call = await openUnknownCall(fixture, ["a"]);
    const all = await Promise.all(
      Array.from({ length: 10 }, (_, index) =>
        createResolution(fixture, call, index % 2 === 0 ? "happened" : "not-happened"),
      ),
    );
    const results = await Promise.all(all.map((given) => fixture.store.resolve(given)));
    expect(results.map(({ kind }) => kind).sort()).toEqual(["done", ...Array(9).fill("lost")]);
    const winner = all[results.findIndex(({ kind }) => kind === "done")];
    const after = await fixture.load(call.call);
    expect(after.resolution).toEqual(winner?.resolution);
    expect(after.events.filter(({ kind }) => kind === "resolved").length).toBe(1);
    expect(await fixture.harness.listStatements(call.call)).toEqual([winner?.statement]);
  });
};

/** Opens a call and closes it with an unknown outcome, so that it keeps its locks and reservations. */
async function openUnknownCall(
  fixture: StoreFixture,
  lockKeys: readonly string[] = [],
  gate: Parameters<StoreFixture["createIntent"]>[0] = {},
): Promise<Call> {
  const { call } = await fixture.open({ lockKeys });
  await fixture.lock(call);
  await fixture.commitCurrent(call, await fixture.createIntent(gate));
  await fixture.commitCurrent(call, {
    ...(await fixture.createClosing()),
    outcome: { kind: "unknown", code: "bench" },
    unlock: false,
    endAttempt: { attempt: 1, as: "lost" },
    settle: { spent: "unknown" },
  });
  return fixture.load(call);
}

async function createResolution(
  fixture: StoreFixture,
  call: Call,
  finding: Finding = "happened",
): Promise<NewResolution> {
  const at = await fixture.harness.now();
  return {
    tenant: call.tenant,
    call: call.call,
    epoch: call.epoch,
    resolution: { finding, by: "ana", how: "person", at },
    event: { kind: "resolved", at, data: { finding, by: "ana", how: "person", statement: "digest" } },
    payloads: [{ name: "reason", salt: "salt", value: "I looked." }],
    statement: {
      digest: "digest",
      envelope: { payloadType: "application/vnd.in-toto+json", payload: "e30=", signatures: [] },
    },
    settle: { spent: 0 },
  };
}
