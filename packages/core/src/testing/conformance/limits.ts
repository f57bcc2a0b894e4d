import type { Limit } from "../../limit.ts";
import type { ConformanceSuite } from "./harness.ts";
import { day, hour, minute, type StoreFixture } from "./store-fixture.ts";

/** Tests that limits are exact. A full limit rejects the call with the limit's id and the start of its next window. */
export const limitSuite: ConformanceSuite = (prove, expect) => {
  prove("calls count when they are accepted, and each window starts at zero", async (fixture) => {
    await advanceToWindow(fixture, hour);
    const gate = { limits: [fixture.createLimit({ max: 2 })] };
    const resetAt = Math.floor((await fixture.harness.now()) / hour) * hour + hour;
    for (let i = 0; i < 2; i += 1) expect(await fixture.openGated(gate)).toEqual({ kind: "opened" });
    const stop = { reason: "limit-reached", limit: "a-limit", kind: "calls", resetAt };
    expect(await fixture.openGated(gate)).toEqual({ kind: "stopped", stop });
    expect(await fixture.openGated(gate)).toEqual({ kind: "stopped", stop });
    await fixture.harness.advanceClock(hour);
    for (let i = 0; i < 2; i += 1) expect(await fixture.openGated(gate)).toEqual({ kind: "opened" });
    expect((await fixture.openGated(gate)).kind).toBe("stopped");
  });

  prove("a call that one limit rejects does not count towards another limit", async (fixture) => {
    const [tight, wide] = [
      fixture.createLimit({ id: "tight", key: "a", max: 1 }),
      fixture.createLimit({ id: "wide", key: "b", max: 2 }),
    ];
    await fixture.openGated({ limits: [wide, tight] });
    expect(await fixture.openGated({ limits: [wide, tight] })).toMatchObject({ stop: { limit: "tight" } });
    expect(await fixture.openGated({ limits: [wide] })).toEqual({ kind: "opened" });
    expect(await fixture.openGated({ limits: [wide] })).toMatchObject({ stop: { limit: "wide" } });
  });

  prove("a key has a separate count for each window length and each kind of limit", async (fixture) => {
    const day1 = fixture.createLimit({ id: "day", windowMs: day, max: 3 });
    const hour1 = fixture.createLimit({ id: "hour", windowMs: hour, max: 3 });
    const money = fixture.createLimit({ id: "money", kind: "money", max: 3, windowMs: hour });
    const gate = { limits: [day1, hour1, money] };
    for (let i = 0; i < 3; i += 1)
      expect(await fixture.openGated(gate, await fixture.createIntent(gate))).toEqual({ kind: "opened" });
    expect(await fixture.openGated({ limits: [day1] })).toMatchObject({ stop: { limit: "day" } });
    expect(await fixture.openGated({ limits: [hour1] })).toMatchObject({ stop: { limit: "hour" } });
  });

  prove(
    "two limits on one count add a call to it once, and the lower limit rejects the next call",
    async (fixture) => {
      const gate = {
        limits: [fixture.createLimit({ id: "high", max: 5 }), fixture.createLimit({ id: "low", max: 2 })],
      };
      for (let i = 0; i < 2; i += 1) expect(await fixture.openGated(gate)).toEqual({ kind: "opened" });
      expect(await fixture.openGated(gate)).toMatchObject({ stop: { limit: "low" } });
    },
  );

  prove("money is reserved once, at the first intent, and settled with the amount spent", async (fixture) => {
    const gate = { limits: [createMoneyLimit(fixture, 60)] };
    const call = await fixture.open({ gate: fixture.createGate(gate) });
    expect(await canReserve(fixture, 100)).toBe(true);
    await fixture.commitCurrent(call.call, await fixture.createIntent(gate));
    expect(await canReserve(fixture, 41)).toBe(false);
    await fixture.commitCurrent(call.call, {
      ...(await fixture.createIntent(gate, 2)),
      endAttempt: { attempt: 1, as: "not-performed" },
    });
    expect(await canReserve(fixture, 40)).toBe(true);
    await fixture.commitCurrent(call.call, { ...(await fixture.createClosing()), settle: { spent: 25 } });
    expect(await canReserve(fixture, 76)).toBe(false);
    expect(await canReserve(fixture, 75)).toBe(true);
  });

  prove(
    "an exhausted budget rejects the intent with its reset time, and the store writes nothing",
    async (fixture) => {
      await advanceToWindow(fixture, day);
      const call = await fixture.open();
      const resetAt = Math.floor((await fixture.harness.now()) / day) * day + day;
      expect(
        await fixture.commit(call, await fixture.createIntent({ limits: [createMoneyLimit(fixture, 101)] })),
      ).toEqual({
        kind: "stopped",
        stop: { reason: "limit-reached", limit: "budget", kind: "money", resetAt },
      });
      expect(await fixture.load(call.call)).toEqual(call);
      expect(
        await fixture.commit(call, await fixture.createIntent({ limits: [createMoneyLimit(fixture, 100)] })),
      ).toMatchObject({
        kind: "done",
      });
    },
  );

  prove(
    "[P7] an unknown outcome keeps the money reserved and releases the concurrency slot",
    async (fixture) => {
      const gate = { limits: [createMoneyLimit(fixture, 60), createPlaceLimit(fixture)] };
      const call = await fixture.open();
      await fixture.commitCurrent(call.call, await fixture.createIntent(gate));
      const unknown = { outcome: { kind: "unknown", code: "x" }, settle: { spent: "unknown" } } as const;
      await fixture.commitCurrent(call.call, { ...(await fixture.createClosing()), ...unknown });
      expect(await canReserve(fixture, 41)).toBe(false);
      const next = await fixture.open();
      expect(
        await fixture.commitCurrent(
          next.call,
          await fixture.createIntent({ limits: [createPlaceLimit(fixture)] }),
        ),
      ).toMatchObject({
        kind: "done",
      });
    },
  );

  prove(
    "a concurrency slot is held from the first intent to the outcome, without a time window",
    async (fixture) => {
      const gate = { limits: [createPlaceLimit(fixture)] };
      const [first, second] = [await fixture.open(), await fixture.open()];
      await fixture.commitCurrent(first.call, await fixture.createIntent(gate));
      await fixture.commitCurrent(first.call, {
        state: "delayed",
        endAttempt: { attempt: 1, as: "not-performed" },
      });
      await fixture.harness.advanceClock(30 * day);
      expect(await fixture.commitCurrent(second.call, await fixture.createIntent(gate))).toEqual({
        kind: "stopped",
        stop: { reason: "limit-reached", limit: "places", kind: "concurrency" },
      });
      expect(await fixture.commitCurrent(first.call, await fixture.createIntent(gate, 2))).toMatchObject({
        kind: "done",
      });
      await fixture.commitCurrent(first.call, { ...(await fixture.createClosing()), settle: { spent: 0 } });
      expect(await fixture.commitCurrent(second.call, await fixture.createIntent(gate))).toMatchObject({
        kind: "done",
      });
    },
  );

  prove(
    "a commit of acceptance and intent counts the call and reserves money and a slot, or changes nothing",
    async (fixture) => {
      const gate = {
        limits: [fixture.createLimit({ max: 2 }), createMoneyLimit(fixture, 60), createPlaceLimit(fixture)],
      };
      expect(await fixture.openGated(gate, await fixture.createIntent(gate))).toEqual({ kind: "opened" });
      expect(await fixture.openGated(gate, await fixture.createIntent(gate))).toMatchObject({
        stop: { limit: "budget" },
      });
      expect(await fixture.openGated({ limits: [fixture.createLimit({ max: 2 })] })).toEqual({
        kind: "opened",
      });
      expect(await fixture.openGated({ limits: [fixture.createLimit({ max: 2 })] })).toMatchObject({
        stop: { limit: "a-limit" },
      });
    },
  );

  prove("money that is settled after its window ended does not count in a later window", async (fixture) => {
    await advanceToWindow(fixture, day);
    const gate = { limits: [createMoneyLimit(fixture, 100)] };
    const call = await fixture.open();
    await fixture.commitCurrent(call.call, await fixture.createIntent(gate));
    await fixture.harness.advanceClock(day);
    expect(await canReserve(fixture, 100)).toBe(true);
    await fixture.commitCurrent(call.call, { ...(await fixture.createClosing()), settle: { spent: 100 } });
    expect(await canReserve(fixture, 100)).toBe(true);
  });

  prove(
    "usage reports the calls of the last hour and day, and the money spent or reserved today, without a limit too",
    async (fixture) => {
      await advanceToWindow(fixture, day);
      const other = fixture.createAgent("other");
      await fixture.harness.addPrincipal(other);
      const spend = { principal: "agent", amount: 70 };
      const usage = () => fixture.store.usage(fixture.createAgent());
      expect(await usage()).toMatchObject({ callsLastHour: 0, callsLastDay: 0, spentToday: 0 });
      const call = await fixture.open();
      await fixture.open({ principal: other });
      await fixture.commitCurrent(call.call, await fixture.createIntent({ spend }));
      expect(await usage()).toMatchObject({ callsLastHour: 1, callsLastDay: 1, spentToday: 70 });
      await fixture.commitCurrent(call.call, await fixture.createIntent({ spend }, 2));
      await fixture.commitCurrent(call.call, { ...(await fixture.createClosing()), settle: { spent: 30 } });
      await fixture.harness.advanceClock(2 * hour);
      await fixture.open();
      expect(await usage()).toMatchObject({ callsLastHour: 1, callsLastDay: 2, spentToday: 30 });
      await fixture.harness.advanceClock(day - hour);
      expect(await usage()).toMatchObject({ callsLastHour: 0, callsLastDay: 1, spentToday: 0 });
      expect(await fixture.store.usage(other)).toMatchObject({
        callsLastHour: 0,
        callsLastDay: 0,
        spentToday: 0,
      });
    },
  );

  prove("of 64 concurrent calls, a limit of 20 admits exactly 20", async (fixture) => {
    await advanceToWindow(fixture, hour);
    const { store } = await fixture.harness.startOtherProcess();
    const gate = { limits: [fixture.createLimit({ max: 20 })] };
    const all = Array.from({ length: 64 }, (_, i) =>
      fixture.openGated(gate, {}, i % 2 ? store : fixture.store),
    );
    const answers = await Promise.all(all);
    expect(answers.filter(({ kind }) => kind === "opened").length).toBe(20);
    expect(answers.filter(({ kind }) => kind === "stopped").length).toBe(44);
  });
};

/** Moves the clock near the start of a window, so that the window does not end in the middle of a test. */
async function advanceToWindow({ harness }: StoreFixture, windowMs: number): Promise<void> {
  await harness.advanceClock(windowMs - ((await harness.now()) % windowMs) + minute);
}

const createMoneyLimit = (fixture: StoreFixture, amount: number): Limit =>
  fixture.createLimit({ id: "budget", kind: "money", key: "purse", windowMs: day, max: 100, amount });

const createPlaceLimit = (fixture: StoreFixture): Limit =>
  fixture.createLimit({ id: "places", kind: "concurrency", key: "desk", windowMs: 0, max: 1 });

/**
 * Returns whether the budget of 100 has room for this amount. A call reserves the amount and gives it back immediately.
 */
async function canReserve(fixture: StoreFixture, amount: number): Promise<boolean> {
  const { call } = await fixture.open();
  const { kind } = await fixture.commitCurrent(
    call,
    await fixture.createIntent({ limits: [createMoneyLimit(fixture, amount)] }),
  );
  await fixture.commitCurrent(call, { ...(await fixture.createClosing()), settle: { spent: 0 } });
  return kind === "done";
}
