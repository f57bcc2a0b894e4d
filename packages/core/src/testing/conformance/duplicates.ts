import { digest } from "../../receipts/digest.ts";
import type { ConformanceSuite } from "./harness.ts";
import { hour, minute } from "./store-fixture.ts";

/** [TRUST 19] Tests how a store finds duplicate requests, so that people are not asked the same question repeatedly. */
export const duplicateSuite: ConformanceSuite = (prove, expect) => {
  const requestDigest = digest("the same request");
  const session = { session: "s1" };

  prove("[TRUST 19] an open call for the same request in the same session is found", async (bench) => {
    const twin = await bench.open({ session, requestDigest });
    expect(await bench.store.findDuplicate(bench.createAgent(), "s1", requestDigest)).toEqual(twin);
  });

  prove("[TRUST 19] another request, session, principal or tenant is no twin", async (bench) => {
    const other = bench.createAgent("other");
    await bench.harness.addPrincipal(other);
    await bench.open({ session, requestDigest });
    await bench.open({ session: {}, requestDigest });
    const { store } = bench;
    expect(await store.findDuplicate(bench.createAgent(), "s1", digest("another"))).toBe(undefined);
    expect(await store.findDuplicate(bench.createAgent(), "s2", requestDigest)).toBe(undefined);
    expect(await store.findDuplicate(other, "s1", requestDigest)).toBe(undefined);
    const stranger = { ...bench.createAgent(), tenant: `${bench.tenant}x` };
    expect(await store.findDuplicate(stranger, "s1", requestDigest)).toBe(undefined);
  });

  prove("[TRUST 19] of several the first is found, and none that has ended", async (bench) => {
    const [first, second] = [
      await bench.open({ session, requestDigest }),
      await bench.open({ session, requestDigest }),
    ];
    const twin = async () =>
      (await bench.store.findDuplicate(bench.createAgent(), "s1", requestDigest))?.call;
    expect(await twin()).toBe(first.call);
    await bench.close(first.call);
    expect(await twin()).toBe(second.call);
    await bench.close(second.call);
    expect(await twin()).toBe(undefined);
  });

  prove("[TRUST 19] what is owed is found when it is over, until it was handed over", async (bench) => {
    const { store } = bench;
    const other = bench.createAgent("other");
    await bench.harness.addPrincipal(other);
    const twin = async (who = bench.createAgent(), named = "s1", asked = requestDigest) =>
      (await store.findDuplicate(who, named, asked))?.call;
    const { call } = await bench.open({ session, requestDigest, undelivered: true });
    await bench.close(call);
    expect(await twin()).toBe(call);
    expect(await twin(other)).toBe(undefined);
    expect(await twin({ ...bench.createAgent(), tenant: `${bench.tenant}x` })).toBe(undefined);
    expect(await twin(bench.createAgent(), "s2")).toBe(undefined);
    expect(await twin(bench.createAgent(), "s1", digest("another"))).toBe(undefined);
    await store.markDelivered(`${bench.tenant}x`, [call]);
    expect(await twin()).toBe(call);
    await store.markDelivered(bench.tenant, [call]);
    expect(await twin()).toBe(undefined);
  });

  prove("[TRUST 19] asked for at once, many times, what is owed is one call", async (bench) => {
    const openings = await Promise.all(
      Array.from({ length: 8 }, () => bench.createCall({ session, requestDigest, undelivered: true })),
    );
    const results = await Promise.all(openings.map((opening) => bench.store.open(opening)));
    expect(results.filter(({ kind }) => kind === "opened").length).toBe(1);
    const first = openings[results.findIndex(({ kind }) => kind === "opened")]!.call;
    const twins = results.flatMap((result) => (result.kind === "twin" ? [result.call.call] : []));
    expect(twins).toEqual(Array.from({ length: 7 }, () => first));
    // The caller repeats an opening whose result was lost. The store returns the same call and does not report a
    // duplicate.
    const again = await bench.store.open(openings.find(({ call }) => call === first)!);
    expect(again.kind).toBe("exists");
  });

  prove("[TRUST 19] after a day the same request is a new one, and then that is owed", async (bench) => {
    const twin = async () =>
      (await bench.store.findDuplicate(bench.createAgent(), "s1", requestDigest))?.call;
    const first = await bench.open({ session, requestDigest, undelivered: true });
    await bench.close(first.call);
    await bench.harness.advanceClock(25 * hour);
    expect(await twin()).toBe(undefined);
    const second = await bench.open({ session, requestDigest, undelivered: true });
    await bench.close(second.call);
    expect(await twin()).toBe(second.call);
  });

  prove("denials are counted for an hour from when they were given", async (bench) => {
    const other = bench.createAgent("other");
    await bench.harness.addPrincipal(other);
    const denied = async () => (await bench.store.usage(bench.createAgent())).deniedLastHour;
    const [first, second, failed] = [await bench.open(), await bench.open(), await bench.open()];
    const theirs = await bench.open({ principal: other });
    expect(await denied()).toBe(0);
    await bench.harness.advanceClock(2 * hour);
    const denial = { ...(await bench.createClosing()), outcome: { kind: "denied", code: "denied" } } as const;
    await bench.commitCurrent(first.call, denial);
    await bench.commitCurrent(theirs.call, { ...denial, receipt: bench.createReceipt() });
    await bench.close(failed.call);
    expect(await denied()).toBe(1);
    await bench.harness.advanceClock(30 * minute);
    await bench.commitCurrent(second.call, {
      ...denial,
      receipt: bench.createReceipt(),
      outcome: { kind: "denied", code: "returned" },
    });
    expect(await denied()).toBe(2);
    await bench.harness.advanceClock(31 * minute);
    expect(await denied()).toBe(1);
    await bench.harness.advanceClock(30 * minute);
    expect(await denied()).toBe(0);
  });
};
