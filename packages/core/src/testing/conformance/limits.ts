import type { Limit } from "../../limit.ts";
import type { ConformanceSuite } from "./harness.ts";
import { day, hour, minute, type StoreFixture } from "./store-fixture.ts";

/** Tests that limits are exact. A full limit rejects the call with the limit's id and the start of its next window. */
export const limitSuite: ConformanceSuite = (prove, expect) => {
  prove("calls are counted at acceptance, and anew in every window", async (bench) => {
    await advanceToWindow(bench, hour);
    const gate = { limits: [bench.createLimit({ most: 2 })] };
    const resetAt = Math.floor((await bench.harness.now()) / hour) * hour + hour;
    for (let i = 0; i < 2; i += 1) expect(await bench.openGated(gate)).toEqual({ kind: "opened" });
    const stop = { reason: "limit-reached", limit: "a-limit", kind: "calls", resetAt };
    expect(await bench.openGated(gate)).toEqual({ kind: "stopped", stop });
    expect(await bench.openGated(gate)).toEqual({ kind: "stopped", stop });
    await bench.harness.advanceClock(hour);
    for (let i = 0; i < 2; i += 1) expect(await bench.openGated(gate)).toEqual({ kind: "opened" });
    expect((await bench.openGated(gate)).kind).toBe("stopped");
  });

  prove("what one limit refuses is not counted towards another", async (bench) => {
    const [tight, wide] = [
      bench.createLimit({ id: "tight", key: "a", most: 1 }),
      bench.createLimit({ id: "wide", key: "b", most: 2 }),
    ];
    await bench.openGated({ limits: [wide, tight] });
    expect(await bench.openGated({ limits: [wide, tight] })).toMatchObject({ stop: { limit: "tight" } });
    expect(await bench.openGated({ limits: [wide] })).toEqual({ kind: "opened" });
    expect(await bench.openGated({ limits: [wide] })).toMatchObject({ stop: { limit: "wide" } });
  });

  prove("one key in windows of two lengths, or of two kinds, is as many counts", async (bench) => {
    const day1 = bench.createLimit({ id: "day", windowMs: day, most: 3 });
    const hour1 = bench.createLimit({ id: "hour", windowMs: hour, most: 3 });
    const money = bench.createLimit({ id: "money", kind: "money", most: 3, windowMs: hour });
    const gate = { limits: [day1, hour1, money] };
    for (let i = 0; i < 3; i += 1)
      expect(await bench.openGated(gate, await bench.createIntent(gate))).toEqual({ kind: "opened" });
    expect(await bench.openGated({ limits: [day1] })).toMatchObject({ stop: { limit: "day" } });
    expect(await bench.openGated({ limits: [hour1] })).toMatchObject({ stop: { limit: "hour" } });
  });

  prove("two limits on one count take from it once, and the lower one stops", async (bench) => {
    const gate = {
      limits: [bench.createLimit({ id: "high", most: 5 }), bench.createLimit({ id: "low", most: 2 })],
    };
    for (let i = 0; i < 2; i += 1) expect(await bench.openGated(gate)).toEqual({ kind: "opened" });
    expect(await bench.openGated(gate)).toMatchObject({ stop: { limit: "low" } });
  });

  prove("money is reserved at the first intent, once, and settled by what was spent", async (bench) => {
    const gate = { limits: [createMoneyLimit(bench, 60)] };
    const call = await bench.open({ gate: bench.createGate(gate) });
    expect(await canReserve(bench, 100)).toBe(true);
    await bench.commitCurrent(call.call, await bench.createIntent(gate));
    expect(await canReserve(bench, 41)).toBe(false);
    await bench.commitCurrent(call.call, {
      ...(await bench.createIntent(gate, 2)),
      endAttempt: { attempt: 1, as: "not-performed" },
    });
    expect(await canReserve(bench, 40)).toBe(true);
    await bench.commitCurrent(call.call, { ...(await bench.createClosing()), settle: { spent: 25 } });
    expect(await canReserve(bench, 76)).toBe(false);
    expect(await canReserve(bench, 75)).toBe(true);
  });

  prove(
    "a budget that is full stops the intent, says when it begins anew, and nothing is written",
    async (bench) => {
      await advanceToWindow(bench, day);
      const call = await bench.open();
      const resetAt = Math.floor((await bench.harness.now()) / day) * day + day;
      expect(
        await bench.commit(call, await bench.createIntent({ limits: [createMoneyLimit(bench, 101)] })),
      ).toEqual({
        kind: "stopped",
        stop: { reason: "limit-reached", limit: "budget", kind: "money", resetAt },
      });
      expect(await bench.load(call.call)).toEqual(call);
      expect(
        await bench.commit(call, await bench.createIntent({ limits: [createMoneyLimit(bench, 100)] })),
      ).toMatchObject({
        kind: "done",
      });
    },
  );

  prove("[P7] an unknown outcome keeps the money reserved and frees the place", async (bench) => {
    const gate = { limits: [createMoneyLimit(bench, 60), createPlaceLimit(bench)] };
    const call = await bench.open();
    await bench.commitCurrent(call.call, await bench.createIntent(gate));
    const unknown = { outcome: { kind: "unknown", code: "x" }, settle: { spent: "unknown" } } as const;
    await bench.commitCurrent(call.call, { ...(await bench.createClosing()), ...unknown });
    expect(await canReserve(bench, 41)).toBe(false);
    const next = await bench.open();
    expect(
      await bench.commitCurrent(next.call, await bench.createIntent({ limits: [createPlaceLimit(bench)] })),
    ).toMatchObject({
      kind: "done",
    });
  });

  prove("concurrency is held from the first intent to the outcome, in no window", async (bench) => {
    const gate = { limits: [createPlaceLimit(bench)] };
    const [first, second] = [await bench.open(), await bench.open()];
    await bench.commitCurrent(first.call, await bench.createIntent(gate));
    await bench.commitCurrent(first.call, {
      state: "delayed",
      endAttempt: { attempt: 1, as: "not-performed" },
    });
    await bench.harness.advanceClock(30 * day);
    expect(await bench.commitCurrent(second.call, await bench.createIntent(gate))).toEqual({
      kind: "stopped",
      stop: { reason: "limit-reached", limit: "places", kind: "concurrency" },
    });
    expect(await bench.commitCurrent(first.call, await bench.createIntent(gate, 2))).toMatchObject({
      kind: "done",
    });
    await bench.commitCurrent(first.call, { ...(await bench.createClosing()), settle: { spent: 0 } });
    expect(await bench.commitCurrent(second.call, await bench.createIntent(gate))).toMatchObject({
      kind: "done",
    });
  });

  prove(
    "accepted and intended in one: calls are counted, money and a place taken, or nothing at all",
    async (bench) => {
      const gate = {
        limits: [bench.createLimit({ most: 2 }), createMoneyLimit(bench, 60), createPlaceLimit(bench)],
      };
      expect(await bench.openGated(gate, await bench.createIntent(gate))).toEqual({ kind: "opened" });
      expect(await bench.openGated(gate, await bench.createIntent(gate))).toMatchObject({
        stop: { limit: "budget" },
      });
      expect(await bench.openGated({ limits: [bench.createLimit({ most: 2 })] })).toEqual({ kind: "opened" });
      expect(await bench.openGated({ limits: [bench.createLimit({ most: 2 })] })).toMatchObject({
        stop: { limit: "a-limit" },
      });
    },
  );

  prove("what is settled after its window ended counts in no later one", async (bench) => {
    await advanceToWindow(bench, day);
    const gate = { limits: [createMoneyLimit(bench, 100)] };
    const call = await bench.open();
    await bench.commitCurrent(call.call, await bench.createIntent(gate));
    await bench.harness.advanceClock(day);
    expect(await canReserve(bench, 100)).toBe(true);
    await bench.commitCurrent(call.call, { ...(await bench.createClosing()), settle: { spent: 100 } });
    expect(await canReserve(bench, 100)).toBe(true);
  });

  prove(
    "usage: calls of the last hour and day, money spent or reserved today, limit or not",
    async (bench) => {
      await advanceToWindow(bench, day);
      const other = bench.createAgent("other");
      await bench.harness.addPrincipal(other);
      const spend = { principal: "agent", amount: 70 };
      const usage = () => bench.store.usage(bench.createAgent());
      expect(await usage()).toMatchObject({ callsLastHour: 0, callsLastDay: 0, spentToday: 0 });
      const call = await bench.open();
      await bench.open({ principal: other });
      await bench.commitCurrent(call.call, await bench.createIntent({ spend }));
      expect(await usage()).toMatchObject({ callsLastHour: 1, callsLastDay: 1, spentToday: 70 });
      await bench.commitCurrent(call.call, await bench.createIntent({ spend }, 2));
      await bench.commitCurrent(call.call, { ...(await bench.createClosing()), settle: { spent: 30 } });
      await bench.harness.advanceClock(2 * hour);
      await bench.open();
      expect(await usage()).toMatchObject({ callsLastHour: 1, callsLastDay: 2, spentToday: 30 });
      await bench.harness.advanceClock(day - hour);
      expect(await usage()).toMatchObject({ callsLastHour: 0, callsLastDay: 1, spentToday: 0 });
      expect(await bench.store.usage(other)).toMatchObject({
        callsLastHour: 0,
        callsLastDay: 0,
        spentToday: 0,
      });
    },
  );

  prove("of 64 at once exactly as many are let in as the limit has room for", async (bench) => {
    await advanceToWindow(bench, hour);
    const { store } = await bench.harness.startOtherProcess();
    const gate = { limits: [bench.createLimit({ most: 20 })] };
    const all = Array.from({ length: 64 }, (_, i) => bench.openGated(gate, {}, i % 2 ? store : bench.store));
    const answers = await Promise.all(all);
    expect(answers.filter(({ kind }) => kind === "opened").length).toBe(20);
    expect(answers.filter(({ kind }) => kind === "stopped").length).toBe(44);
  });
};

/** Moves the clock near the start of a window, so that the window does not end in the middle of a test. */
async function advanceToWindow({ harness }: StoreFixture, windowMs: number): Promise<void> {
  await harness.advanceClock(windowMs - ((await harness.now()) % windowMs) + minute);
}

const createMoneyLimit = (bench: StoreFixture, amount: number): Limit =>
  bench.createLimit({ id: "budget", kind: "money", key: "purse", windowMs: day, most: 100, amount });

const createPlaceLimit = (bench: StoreFixture): Limit =>
  bench.createLimit({ id: "places", kind: "concurrency", key: "desk", windowMs: 0, most: 1 });

/** Whether the budget of 100 has room for this amount. A call reserves the amount and gives it back immediately. */
async function canReserve(bench: StoreFixture, amount: number): Promise<boolean> {
  const { call } = await bench.open();
  const { kind } = await bench.commitCurrent(
    call,
    await bench.createIntent({ limits: [createMoneyLimit(bench, amount)] }),
  );
  await bench.commitCurrent(call, { ...(await bench.createClosing()), settle: { spent: 0 } });
  return kind === "done";
}
