import { lastEvent } from "../../event.ts";
import type { ConformanceSuite } from "./harness.ts";
import { minute, type StoreFixture } from "./store-fixture.ts";

/** Tests that a call holds all of its keys together, or waits in the queue of each. */
export const lockSuite: ConformanceSuite = (prove, expect) => {
  prove("free keys are held at once, and the event says how many", async (bench) => {
    const call = await bench.open({ lockKeys: ["a", "b"], state: "ready" });
    expect(await bench.lock(call.call)).toMatchObject({ kind: "held", epoch: 2, fresh: true });
    const held = await bench.load(call.call);
    expect([held.state, held.events.map(({ kind, data }) => [kind, data])]).toEqual([
      "ready",
      [
        ["accepted", { capability: "bench.act" }],
        ["locked", { keys: 2 }],
      ],
    ]);
    expect((held.nextAt ?? 0) >= call.createdAt + 5 * minute).toBe(true);
  });

  prove("what is held already is held, and nothing is written", async (bench) => {
    const call = await bench.open({ lockKeys: ["a"] });
    await bench.lock(call.call);
    const before = await bench.load(call.call);
    expect(await bench.lock(call.call)).toEqual({ kind: "held", epoch: 2, fresh: false });
    expect(await bench.load(call.call)).toEqual(before);
  });

  prove("[fence] locks are not taken at a stale epoch, nor by a closed or a missing call", async (bench) => {
    const call = await bench.open({ lockKeys: ["a"] });
    const at = await bench.harness.now();
    const taking = { tenant: bench.tenant, call: call.call, heldNextAt: at, queuedNextAt: at };
    await bench.commit(call);
    expect(await bench.store.lock({ ...taking, epoch: 1 })).toEqual({ kind: "lost" });
    expect(await bench.store.lock({ ...taking, call: "call_none", epoch: 1 })).toEqual({ kind: "lost" });
    await bench.close(call.call);
    expect(await bench.store.lock({ ...taking, epoch: 3 })).toEqual({ kind: "lost" });
    expect(await canHold(bench, ["a"])).toBe(true);
  });

  prove("a busy key means the queue, told once, and only `nextAt` moves after that", async (bench) => {
    await canHold(bench, ["a"]);
    const call = await bench.open({ lockKeys: ["a", "b"] });
    expect(await bench.lock(call.call)).toEqual({ kind: "queued", epoch: 2 });
    const queued = await bench.load(call.call);
    expect(queued).toMatchObject({ state: "queued" });
    expect(queued.events.at(-1)).toMatchObject({ kind: "queued", data: { keys: 2 } });
    const next = await bench.open({ lockKeys: ["b"] });
    await bench.lock(next.call);
    const [first, second] = [queued, await bench.load(next.call)].map(
      ({ events }) => lastEvent(events, "queued")?.data.position,
    );
    expect((first ?? 0) < (second ?? 0)).toBe(true);
    await bench.harness.advanceClock(minute);
    expect(await bench.lock(call.call)).toEqual({ kind: "queued", epoch: 2 });
    const again = await bench.load(call.call);
    expect({ ...again, nextAt: 0 }).toEqual({ ...queued, nextAt: 0 });
    expect((again.nextAt ?? 0) >= (queued.nextAt ?? 0) + minute).toBe(true);
  });

  prove("a queued call holds nothing: all keys or none", async (bench) => {
    await canHold(bench, ["a"]);
    const both = await bench.open({ lockKeys: ["a", "b"] });
    await bench.lock(both.call);
    await bench.close(both.call);
    expect(await canHold(bench, ["b"])).toBe(true);
  });

  prove("keys are a tenant's own, and nobody else's wait touches them", async (bench) => {
    await canHold(bench, ["a"]);
    expect(await canHold(bench, ["b"])).toBe(true);
    expect(await canHold(bench, ["a"])).toBe(false);
  });

  prove("release wakes the first in line, makes it due, and it goes on", async (bench) => {
    const [holder, first, second] = await openAndLock(bench, ["a"], ["a"], ["a"]);
    const waiting = await bench.load(first);
    expect(await bench.close(holder)).toMatchObject({
      kind: "done",
      wake: [{ tenant: bench.tenant, call: first, epoch: waiting.epoch }],
    });
    expect((await bench.harness.sweep()).map(({ call }) => call)).toEqual([first]);
    expect(await bench.lock(second)).toMatchObject({ kind: "queued" });
    expect(await bench.lock(first)).toMatchObject({ kind: "held", epoch: waiting.epoch + 1, fresh: true });
    expect((await bench.load(first)).state).toBe("ready");
  });

  prove("a newcomer does not overtake one who waits for the same key", async (bench) => {
    const [holder, waiter, newcomer] = await openAndLock(bench, ["a"], ["a", "b"], ["b"]);
    expect((await bench.load(newcomer)).state).toBe("queued");
    expect(await closeAndListWoken(bench, holder)).toEqual([waiter]);
    expect(await bench.lock(waiter)).toMatchObject({ kind: "held" });
    expect(await closeAndListWoken(bench, waiter)).toEqual([newcomer]);
    expect(await bench.lock(newcomer)).toMatchObject({ kind: "held" });
  });

  prove("one who waits for several keys goes on once the last of them is free", async (bench) => {
    const a = await bench.open({ lockKeys: ["a"] });
    const b = await bench.open({ lockKeys: ["b"] });
    const both = await bench.open({ lockKeys: ["a", "b"] });
    for (const { call } of [a, b, both]) await bench.lock(call);
    expect(await closeAndListWoken(bench, a.call)).toEqual([both.call]);
    expect(await bench.lock(both.call)).toMatchObject({ kind: "queued" });
    expect(await closeAndListWoken(bench, b.call)).toEqual([both.call]);
    expect(await bench.lock(both.call)).toMatchObject({ kind: "held", fresh: true });
  });

  prove("one release can wake several, each once", async (bench) => {
    const [holder, ...waiters] = await openAndLock(bench, ["a", "b", "c"], ["a"], ["b", "c"]);
    expect((await closeAndListWoken(bench, holder)).sort()).toEqual([...waiters].sort());
    for (const call of waiters) expect(await bench.lock(call)).toMatchObject({ kind: "held" });
  });

  prove("a commit that does not unlock keeps the locks", async (bench) => {
    const [holder, waiter] = await openAndLock(bench, ["a"], ["a"], ["b"]);
    expect(await bench.commitCurrent(holder, { state: "performing" })).toMatchObject({ wake: [] });
    expect(await bench.lock(waiter)).toMatchObject({ kind: "queued" });
  });

  prove("[P7] a call that closes without unlocking keeps its locks", async (bench) => {
    const [holder, waiter] = await openAndLock(bench, ["a"], ["a"], ["b"]);
    const { unlock: _, ...keeping } = await bench.createClosing();
    expect(
      await bench.commitCurrent(holder, { ...keeping, outcome: { kind: "unknown", code: "bench" } }),
    ).toMatchObject({ kind: "done", wake: [] });
    expect(await bench.lock(waiter)).toMatchObject({ kind: "queued" });
  });

  prove("unlock without closing frees the locks and loses the place in line", async (bench) => {
    const [holder, waiter] = await openAndLock(bench, ["a"], ["a"], ["b"]);
    expect(await bench.commitCurrent(holder, { state: "asking", unlock: true })).toMatchObject({
      wake: [{ call: waiter }],
    });
    expect(await bench.lock(holder)).toMatchObject({ kind: "queued" });
    expect(await bench.lock(waiter)).toMatchObject({ kind: "held" });
  });

  prove("one who leaves the queue lets those behind it go on", async (bench) => {
    const [, leaver, behind] = await openAndLock(bench, ["a"], ["a", "b"], ["b"]);
    expect(await closeAndListWoken(bench, leaver)).toEqual([behind]);
    expect(await bench.lock(behind)).toMatchObject({ kind: "held" });
  });

  prove("of 20 calls that lock one key at once, one holds it and 19 queue", async (bench) => {
    const calls = await Promise.all(Array.from({ length: 20 }, () => bench.open({ lockKeys: ["a", "b"] })));
    const results = await Promise.all(calls.map(({ call }) => bench.lock(call)));
    expect(results.filter(({ kind }) => kind === "held").length).toBe(1);
    expect(results.filter(({ kind }) => kind === "queued").length).toBe(19);
  });
};

/** Opens three calls with these keys and lets each try to lock, in this order. */
async function openAndLock(bench: StoreFixture, ...keys: string[][]): Promise<[string, string, string]> {
  const names: string[] = [];
  for (const lockKeys of keys) {
    const { call } = await bench.open({ lockKeys });
    await bench.lock(call);
    names.push(call);
  }
  return names as [string, string, string];
}

/** Whether a new call could hold these keys immediately. */
async function canHold(bench: StoreFixture, lockKeys: string[]): Promise<boolean> {
  const { call } = await bench.open({ lockKeys });
  return (await bench.lock(call)).kind === "held";
}

async function closeAndListWoken(bench: StoreFixture, closing: string): Promise<string[]> {
  const closed = await bench.close(closing);
  return closed.kind === "done" ? closed.wake.map(({ call }) => call) : [];
}
