import { digest } from "../../receipts/digest.ts";
import type { ConformanceSuite } from "./harness.ts";
import { hour, minute } from "./store-fixture.ts";

/** [TRUST 19] Tests how a store finds duplicate requests, so that people are not asked the same question repeatedly. */
export const duplicateSuite: ConformanceSuite = (prove, expect) => {
  const requestDigest = digest("the same request");
  const session = { session: "s1" };

  prove("[TRUST 19] an open call for the same request in the same session is found", async (fixture) => {
    const duplicate = await fixture.open({ session, requestDigest });
    expect(await fixture.store.findDuplicate(fixture.createAgent(), "s1", requestDigest)).toEqual(duplicate);
  });

  prove(
    "[TRUST 19] a call with another request, session, principal or tenant is not a duplicate",
    async (fixture) => {
      const other = fixture.createAgent("other");
      await fixture.harness.addPrincipal(other);
      await fixture.open({ session, requestDigest });
      await fixture.open({ session: {}, requestDigest });
      const { store } = fixture;
      expect(await store.findDuplicate(fixture.createAgent(), "s1", digest("another"))).toBe(undefined);
      expect(await store.findDuplicate(fixture.createAgent(), "s2", requestDigest)).toBe(undefined);
      expect(await store.findDuplicate(other, "s1", requestDigest)).toBe(undefined);
      const stranger = { ...fixture.createAgent(), tenant: `${fixture.tenant}x` };
      expect(await store.findDuplicate(stranger, "s1", requestDigest)).toBe(undefined);
    },
  );

  prove(
    "[TRUST 19] the store finds the first of several open duplicates, and no closed one",
    async (fixture) => {
      const [first, second] = [
        await fixture.open({ session, requestDigest }),
        await fixture.open({ session, requestDigest }),
      ];
      const duplicate = async () =>
        (await fixture.store.findDuplicate(fixture.createAgent(), "s1", requestDigest))?.call;
      expect(await duplicate()).toBe(first.call);
      await fixture.close(first.call);
      expect(await duplicate()).toBe(second.call);
      await fixture.close(second.call);
      expect(await duplicate()).toBe(undefined);
    },
  );

  prove(
    "[TRUST 19] the store finds a closed undelivered call until it is marked as delivered",
    async (fixture) => {
      const { store } = fixture;
      const other = fixture.createAgent("other");
      await fixture.harness.addPrincipal(other);
      const duplicate = async (who = fixture.createAgent(), named = "s1", asked = requestDigest) =>
        (await store.findDuplicate(who, named, asked))?.call;
      const { call } = await fixture.open({ session, requestDigest, undelivered: true });
      await fixture.close(call);
      expect(await duplicate()).toBe(call);
      expect(await duplicate(other)).toBe(undefined);
      expect(await duplicate({ ...fixture.createAgent(), tenant: `${fixture.tenant}x` })).toBe(undefined);
      expect(await duplicate(fixture.createAgent(), "s2")).toBe(undefined);
      expect(await duplicate(fixture.createAgent(), "s1", digest("another"))).toBe(undefined);
      await store.markDelivered(`${fixture.tenant}x`, [call]);
      expect(await duplicate()).toBe(call);
      await store.markDelivered(fixture.tenant, [call]);
      expect(await duplicate()).toBe(undefined);
    },
  );

  prove(
    "[TRUST 19] of 8 concurrent openings of one undelivered request, one opens a call and 7 return it as a duplicate",
    async (fixture) => {
      const openings = await Promise.all(
        Array.from({ length: 8 }, () => fixture.createCall({ session, requestDigest, undelivered: true })),
      );
      const results = await Promise.all(openings.map((opening) => fixture.store.open(opening)));
      expect(results.filter(({ kind }) => kind === "opened").length).toBe(1);
      const first = openings[results.findIndex(({ kind }) => kind === "opened")]!.call;
      const duplicates = results.flatMap((result) => (result.kind === "duplicate" ? [result.call.call] : []));
      expect(duplicates).toEqual(Array.from({ length: 7 }, () => first));
      // The caller repeats an opening whose result was lost. The store returns the same call and does not report a
      // duplicate.
      const again = await fixture.store.open(openings.find(({ call }) => call === first)!);
      expect(again.kind).toBe("exists");
    },
  );

  prove(
    "[TRUST 19] after a day, the same request opens a new call, which is then the undelivered one",
    async (fixture) => {
      const duplicate = async () =>
        (await fixture.store.findDuplicate(fixture.createAgent(), "s1", requestDigest))?.call;
      const first = await fixture.open({ session, requestDigest, undelivered: true });
      await fixture.close(first.call);
      await fixture.harness.advanceClock(25 * hour);
      expect(await duplicate()).toBe(undefined);
      const second = await fixture.open({ session, requestDigest, undelivered: true });
      await fixture.close(second.call);
      expect(await duplicate()).toBe(second.call);
    },
  );

  prove("a requester's denials count for one hour from the time of the denial", async (fixture) => {
    const other = fixture.createAgent("other");
    await fixture.harness.addPrincipal(other);
    const denied = async () => {
      const count = await fixture.store.countDenials(fixture.createAgent(), 100);
      expect((await fixture.store.usage(fixture.createAgent())).deniedLastHour).toBe(count);
      return count;
    };
    const [first, second, failed] = [await fixture.open(), await fixture.open(), await fixture.open()];
    const theirs = await fixture.open({ principal: other });
    expect(await denied()).toBe(0);
    await fixture.harness.advanceClock(2 * hour);
    const denial = {
      ...(await fixture.createClosing()),
      outcome: { kind: "denied", code: "denied" },
    } as const;
    await fixture.commitCurrent(first.call, denial);
    await fixture.commitCurrent(theirs.call, { ...denial, receipt: fixture.createReceipt() });
    await fixture.close(failed.call);
    expect(await denied()).toBe(1);
    await fixture.harness.advanceClock(30 * minute);
    await fixture.commitCurrent(second.call, {
      ...denial,
      receipt: fixture.createReceipt(),
      outcome: { kind: "denied", code: "returned" },
    });
    expect(await denied()).toBe(2);
    expect(await fixture.store.countDenials(fixture.createAgent(), 1)).toBe(1);
    await fixture.harness.advanceClock(31 * minute);
    expect(await denied()).toBe(1);
    await fixture.harness.advanceClock(30 * minute);
    expect(await denied()).toBe(0);
  });
};
