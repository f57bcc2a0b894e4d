import { lastEvent } from "../../event.ts";
import type { ConformanceSuite } from "./harness.ts";
import { minute, type StoreFixture } from "./store-fixture.ts";

/** Tests that a call holds all of its keys together, or waits in the queue of each. */
export const lockSuite: ConformanceSuite = (prove, expect) => {
  prove("a call locks free keys at once, and the event states their number", async (fixture) => {
    const call = await fixture.open({ lockKeys: ["a", "b"], state: "ready" });
    expect(await fixture.lock(call.call)).toMatchObject({ kind: "held", epoch: 2, fresh: true });
    const held = await fixture.load(call.call);
    expect([held.state, held.events.map(({ kind, data }) => [kind, data])]).toEqual([
      "ready",
      [
        ["accepted", { capability: "bench.act" }],
        ["locked", { keys: 2 }],
      ],
    ]);
    expect((held.nextAt ?? 0) >= call.createdAt + 5 * minute).toBe(true);
  });

  prove("a repeated lock request for keys that the call holds writes nothing", async (fixture) => {
    const call = await fixture.open({ lockKeys: ["a"] });
    await fixture.lock(call.call);
    const before = await fixture.load(call.call);
    expect(await fixture.lock(call.call)).toEqual({ kind: "held", epoch: 2, fresh: false });
    expect(await fixture.load(call.call)).toEqual(before);
  });

  prove(
    "[fence] a lock request at a stale epoch, or for a closed or missing call, is lost and takes no lock",
    async (fixture) => {
      const call = await fixture.open({ lockKeys: ["a"] });
      const at = await fixture.harness.now();
      const taking = { tenant: fixture.tenant, call: call.call, heldNextAt: at, queuedNextAt: at };
      await fixture.commit(call);
      expect(await fixture.store.lock({ ...taking, epoch: 1 })).toEqual({ kind: "lost" });
      expect(await fixture.store.lock({ ...taking, call: "call_none", epoch: 1 })).toEqual({ kind: "lost" });
      await fixture.close(call.call);
      expect(await fixture.store.lock({ ...taking, epoch: 3 })).toEqual({ kind: "lost" });
      expect(await canHold(fixture, ["a"])).toBe(true);
    },
  );

  prove(
    "a call queues for a busy key with one event, and a repeated request changes only `nextAt`",
    async (fixture) => {
      await canHold(fixture, ["a"]);
      const call = await fixture.open({ lockKeys: ["a", "b"] });
      expect(await fixture.lock(call.call)).toEqual({ kind: "queued", epoch: 2 });
      const queued = await fixture.load(call.call);
      expect(queued).toMatchObject({ state: "queued" });
      expect(queued.events.at(-1)).toMatchObject({ kind: "queued", data: { keys: 2 } });
      const next = await fixture.open({ lockKeys: ["b"] });
      await fixture.lock(next.call);
      const [first, second] = [queued, await fixture.load(next.call)].map(
        ({ events }) => lastEvent(events, "queued")?.data.position,
      );
      expect((first ?? 0) < (second ?? 0)).toBe(true);
      await fixture.harness.advanceClock(minute);
      expect(await fixture.lock(call.call)).toEqual({ kind: "queued", epoch: 2 });
      const again = await fixture.load(call.call);
      expect({ ...again, nextAt: 0 }).toEqual({ ...queued, nextAt: 0 });
      expect((again.nextAt ?? 0) >= (queued.nextAt ?? 0) + minute).toBe(true);
    },
  );

  prove("a queued call holds none of its keys, not even the free ones", async (fixture) => {
    await canHold(fixture, ["a"]);
    const both = await fixture.open({ lockKeys: ["a", "b"] });
    await fixture.lock(both.call);
    await fixture.close(both.call);
    expect(await canHold(fixture, ["b"])).toBe(true);
  });

  prove("a held key blocks other calls for the same key, and no call for another key", async (fixture) => {
    await canHold(fixture, ["a"]);
    expect(await canHold(fixture, ["b"])).toBe(true);
    expect(await canHold(fixture, ["a"])).toBe(false);
  });

  prove("a release gives the keys to the first call in the queue, and wakes it", async (fixture) => {
    const [holder, first, second] = await openAndLock(fixture, ["a"], ["a"], ["a"]);
    const waiting = await fixture.load(first);
    expect(await fixture.close(holder)).toMatchObject({
      kind: "done",
      wake: [{ tenant: fixture.tenant, call: first, epoch: waiting.epoch + 1 }],
    });
    expect((await fixture.harness.sweep()).map(({ call }) => call)).toEqual([first]);
    const held = await fixture.load(first);
    expect(held.state).toBe("ready");
    expect(held.events.at(-1)).toMatchObject({ kind: "locked", data: { keys: 1 } });
    expect(await fixture.lock(second)).toMatchObject({ kind: "queued" });
    expect(await fixture.lock(first)).toEqual({ kind: "held", epoch: held.epoch, fresh: false });
  });

  prove("[fence] a call that got its keys from a release has a new epoch", async (fixture) => {
    const [holder, waiter] = await openAndLock(fixture, ["a"], ["a"], ["b"]);
    const waiting = await fixture.load(waiter);
    await fixture.close(holder);
    const { state, nextAt } = { state: "ready" as const, nextAt: waiting.nextAt };
    expect(await fixture.commit(waiting, { state, nextAt })).toEqual({ kind: "lost" });
  });

  prove("a call that also waits for a key of another call gets no key from a release", async (fixture) => {
    const a = await fixture.open({ lockKeys: ["a"] });
    const b = await fixture.open({ lockKeys: ["b"] });
    const both = await fixture.open({ lockKeys: ["a", "b"] });
    for (const { call } of [a, b, both]) await fixture.lock(call);
    const waiting = await fixture.load(both.call);
    expect(await closeAndListWoken(fixture, a.call)).toEqual([both.call]);
    expect(await fixture.load(both.call)).toMatchObject({ state: "queued", epoch: waiting.epoch });
    expect((await fixture.harness.sweep()).map(({ call }) => call)).toEqual([both.call]);
  });

  prove("a new call does not overtake a call that waits for the same key", async (fixture) => {
    const [holder, waiter, newcomer] = await openAndLock(fixture, ["a"], ["a", "b"], ["b"]);
    expect((await fixture.load(newcomer)).state).toBe("queued");
    expect(await closeAndListWoken(fixture, holder)).toEqual([waiter]);
    expect(await fixture.lock(waiter)).toMatchObject({ kind: "held" });
    expect(await closeAndListWoken(fixture, waiter)).toEqual([newcomer]);
    expect(await fixture.lock(newcomer)).toMatchObject({ kind: "held" });
  });

  prove("a call that waits for several keys locks them once the last of them is free", async (fixture) => {
    const a = await fixture.open({ lockKeys: ["a"] });
    const b = await fixture.open({ lockKeys: ["b"] });
    const both = await fixture.open({ lockKeys: ["a", "b"] });
    for (const { call } of [a, b, both]) await fixture.lock(call);
    expect(await closeAndListWoken(fixture, a.call)).toEqual([both.call]);
    expect(await fixture.lock(both.call)).toMatchObject({ kind: "queued" });
    expect(await closeAndListWoken(fixture, b.call)).toEqual([both.call]);
    expect(await fixture.lock(both.call)).toMatchObject({ kind: "held", fresh: true });
  });

  prove("one release can wake several calls, each once", async (fixture) => {
    const [holder, ...waiters] = await openAndLock(fixture, ["a", "b", "c"], ["a"], ["b", "c"]);
    expect((await closeAndListWoken(fixture, holder)).sort()).toEqual([...waiters].sort());
    for (const call of waiters) expect(await fixture.lock(call)).toMatchObject({ kind: "held" });
  });

  prove("a commit that does not unlock keeps the locks", async (fixture) => {
    const [holder, waiter] = await openAndLock(fixture, ["a"], ["a"], ["b"]);
    expect(await fixture.commitCurrent(holder, { state: "performing" })).toMatchObject({ wake: [] });
    expect(await fixture.lock(waiter)).toMatchObject({ kind: "queued" });
  });

  prove("[P7] a call that closes without unlocking keeps its locks", async (fixture) => {
    const [holder, waiter] = await openAndLock(fixture, ["a"], ["a"], ["b"]);
    const { unlock: _, ...keeping } = await fixture.createClosing();
    expect(
      await fixture.commitCurrent(holder, { ...keeping, outcome: { kind: "unknown", code: "bench" } }),
    ).toMatchObject({ kind: "done", wake: [] });
    expect(await fixture.lock(waiter)).toMatchObject({ kind: "queued" });
  });

  prove(
    "a commit that unlocks without closing frees the locks and gives up the place in the queue",
    async (fixture) => {
      const [holder, waiter] = await openAndLock(fixture, ["a"], ["a"], ["b"]);
      expect(await fixture.commitCurrent(holder, { state: "asking", unlock: true })).toMatchObject({
        wake: [{ call: waiter }],
      });
      expect(await fixture.lock(holder)).toMatchObject({ kind: "queued" });
      expect(await fixture.lock(waiter)).toMatchObject({ kind: "held" });
    },
  );

  prove("a call that leaves the queue lets the calls behind it lock", async (fixture) => {
    const [, leaver, behind] = await openAndLock(fixture, ["a"], ["a", "b"], ["b"]);
    expect(await closeAndListWoken(fixture, leaver)).toEqual([behind]);
    expect(await fixture.lock(behind)).toMatchObject({ kind: "held" });
  });

  prove("one of 20 calls that lock the same keys at once holds them, and 19 queue", async (fixture) => {
    const calls = await Promise.all(Array.from({ length: 20 }, () => fixture.open({ lockKeys: ["a", "b"] })));
    const results = await Promise.all(calls.map(({ call }) => fixture.lock(call)));
    expect(results.filter(({ kind }) => kind === "held").length).toBe(1);
    expect(results.filter(({ kind }) => kind === "queued").length).toBe(19);
  });
};

/** Opens three calls with these keys and lets each try to lock, in this order. */
async function openAndLock(fixture: StoreFixture, ...keys: string[][]): Promise<[string, string, string]> {
  const names: string[] = [];
  for (const lockKeys of keys) {
    const { call } = await fixture.open({ lockKeys });
    await fixture.lock(call);
    names.push(call);
  }
  return names as [string, string, string];
}

/** Returns whether a new call could hold these keys immediately. */
async function canHold(fixture: StoreFixture, lockKeys: string[]): Promise<boolean> {
  const { call } = await fixture.open({ lockKeys });
  return (await fixture.lock(call)).kind === "held";
}

async function closeAndListWoken(fixture: StoreFixture, closing: string): Promise<string[]> {
  const closed = await fixture.close(closing);
  return closed.kind === "done" ? closed.wake.map(({ call }) => call) : [];
}
