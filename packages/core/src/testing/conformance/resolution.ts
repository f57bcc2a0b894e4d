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
  prove("[P7] a finding is recorded beside the outcome, which stays as it was", async (bench) => {
    const call = await openUnknownCall(bench);
    const receipts = await bench.harness.listReceipts(call.call);
    const given = await createResolution(bench, call);
    expect(await bench.store.resolve(given)).toEqual({ kind: "done", epoch: call.epoch + 1, wake: [] });
    const after = await bench.load(call.call);
    expect(after).toEqual({
      ...call,
      epoch: call.epoch + 1,
      resolution: given.resolution,
      events: [...call.events, { seq: call.events.length + 1, ...given.event }],
      payloads: { ...call.payloads, reason: { salt: "salt", value: "I looked." } },
    });
    expect(await bench.harness.listReceipts(call.call)).toEqual(receipts);
    expect(await bench.harness.listStatements(call.call)).toEqual([given.statement]);
  });

  prove("[P7] a second finding is lost and writes nothing, whatever epoch it names", async (bench) => {
    const call = await openUnknownCall(bench);
    await bench.store.resolve(await createResolution(bench, call));
    const once = await bench.load(call.call);
    const statements = await bench.harness.listStatements(call.call);
    for (const stale of [call, once])
      expect(await bench.store.resolve(await createResolution(bench, stale, "not-happened"))).toEqual({
        kind: "lost",
      });
    expect(await bench.load(call.call)).toEqual(once);
    expect(await bench.harness.listStatements(call.call)).toEqual(statements);
  });

  prove(
    "[fence] a finding at another epoch, of another outcome or of an open call is lost",
    async (bench) => {
      const call = await openUnknownCall(bench);
      const off = await createResolution(bench, { ...call, epoch: call.epoch + 1 });
      expect(await bench.store.resolve(off)).toEqual({ kind: "lost" });
      const open = await bench.open();
      expect(await bench.store.resolve(await createResolution(bench, open))).toEqual({ kind: "lost" });
      await bench.close(open.call);
      const failed = await bench.load(open.call);
      expect(await bench.store.resolve(await createResolution(bench, failed))).toEqual({ kind: "lost" });
      const nobody = await createResolution(bench, { ...call, call: "call_none" });
      expect(await bench.store.resolve(nobody)).toEqual({ kind: "lost" });
      expect([await bench.load(call.call), await bench.load(open.call)]).toEqual([call, failed]);
    },
  );

  prove("[P7] its locks are free then, and who waited for them is woken", async (bench) => {
    const call = await openUnknownCall(bench, ["a", "b"]);
    const waiter = await bench.open({ lockKeys: ["b"] });
    expect(await bench.lock(waiter.call)).toMatchObject({ kind: "queued" });
    const { epoch } = await bench.load(waiter.call);
    expect(await bench.store.resolve(await createResolution(bench, call))).toMatchObject({
      wake: [{ tenant: bench.tenant, call: waiter.call, epoch }],
    });
    expect((await bench.harness.sweep()).map((wake) => wake.call)).toEqual([waiter.call]);
    expect(await bench.lock(waiter.call)).toMatchObject({ kind: "held" });
  });

  for (const [finding, spent, left] of [
    ["happened", 6, 4],
    ["not-happened", 0, 10],
  ] as const) {
    prove(`what was reserved is settled: ${finding} leaves ${left} of 10`, async (bench) => {
      const limit = (amount: number) => bench.createLimit({ kind: "money", windowMs: day, most: 10, amount });
      const gate = { limits: [limit(6)], spend: { principal: "agent", amount: 6 } };
      const call = await openUnknownCall(bench, [], gate);
      const spentToday = async () => (await bench.store.usage(bench.createAgent())).spentToday;
      expect(await spentToday()).toBe(6);
      await bench.store.resolve({ ...(await createResolution(bench, call, finding)), settle: { spent } });
      expect(await spentToday()).toBe(spent);
      const intends = async (amount: number) => {
        const { call: id } = await bench.open();
        return (await bench.commitCurrent(id, await bench.createIntent({ limits: [limit(amount)] }))).kind;
      };
      expect(await intends(left + 1)).toBe("stopped");
      expect(await intends(left)).toBe("done");
    });
  }

  prove("of ten findings at once one counts", async (bench) => {
    const call = await openUnknownCall(bench, ["a"]);
    const all = await Promise.all(
      Array.from({ length: 10 }, (_, index) =>
        createResolution(bench, call, index % 2 === 0 ? "happened" : "not-happened"),
      ),
    );
    const results = await Promise.all(all.map((given) => bench.store.resolve(given)));
    expect(results.map(({ kind }) => kind).sort()).toEqual(["done", ...Array(9).fill("lost")]);
    const winner = all[results.findIndex(({ kind }) => kind === "done")];
    const after = await bench.load(call.call);
    expect(after.resolution).toEqual(winner?.resolution);
    expect(after.events.filter(({ kind }) => kind === "resolved").length).toBe(1);
    expect(await bench.harness.listStatements(call.call)).toEqual([winner?.statement]);
  });
};

/** Opens a call and closes it with an unknown outcome, so that it keeps its locks and reservations. */
async function openUnknownCall(
  bench: StoreFixture,
  lockKeys: readonly string[] = [],
  gate: Parameters<StoreFixture["createIntent"]>[0] = {},
): Promise<Call> {
  const { call } = await bench.open({ lockKeys });
  await bench.lock(call);
  await bench.commitCurrent(call, await bench.createIntent(gate));
  await bench.commitCurrent(call, {
    ...(await bench.createClosing()),
    outcome: { kind: "unknown", code: "bench" },
    unlock: false,
    endAttempt: { attempt: 1, as: "lost" },
    settle: { spent: "unknown" },
  });
  return bench.load(call);
}

async function createResolution(
  bench: StoreFixture,
  call: Call,
  finding: Finding = "happened",
): Promise<NewResolution> {
  const at = await bench.harness.now();
  return {
    tenant: call.tenant,
    call: call.call,
    epoch: call.epoch,
    resolution: { finding, by: "ana", how: "person", at },
    event: { kind: "resolved", at, data: { finding, by: "ana", how: "person", statement: "digest" } },
    payloads: [{ name: "reason", salt: "salt", value: "I looked." }],
    statement: bench.createReceipt(),
    settle: { spent: 0 },
  };
}
