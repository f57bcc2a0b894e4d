import type { Limit } from "../limit.ts";
import { type Bench, day, hour, minute } from "./conformance-bench.ts";
import type { Chapter } from "./conformance-harness.ts";

/** Limits are exact: what is full stops, with its id and the time at which it begins anew. */
export const limits: Chapter = (prove, expect) => {
  prove("calls are counted at acceptance, and anew in every window", async (bench) => {
    await toWindow(bench, hour);
    const gate = { limits: [bench.limit({ most: 2 })] };
    const resetAt = Math.floor((await bench.harness.now()) / hour) * hour + hour;
    for (let i = 0; i < 2; i += 1) expect(await bench.enter(gate)).toEqual({ kind: "opened" });
    const stop = { reason: "limit-reached", limit: "a-limit", kind: "calls", resetAt };
    expect(await bench.enter(gate)).toEqual({ kind: "stopped", stop });
    expect(await bench.enter(gate)).toEqual({ kind: "stopped", stop });
    await bench.harness.advanceClock(hour);
    for (let i = 0; i < 2; i += 1) expect(await bench.enter(gate)).toEqual({ kind: "opened" });
    expect((await bench.enter(gate)).kind).toBe("stopped");
  });

  prove("what one limit refuses is not counted towards another", async (bench) => {
    const [tight, wide] = [
      bench.limit({ id: "tight", key: "a", most: 1 }),
      bench.limit({ id: "wide", key: "b", most: 2 }),
    ];
    await bench.enter({ limits: [wide, tight] });
    expect(await bench.enter({ limits: [wide, tight] })).toMatchObject({ stop: { limit: "tight" } });
    expect(await bench.enter({ limits: [wide] })).toEqual({ kind: "opened" });
    expect(await bench.enter({ limits: [wide] })).toMatchObject({ stop: { limit: "wide" } });
  });

  prove("one key in windows of two lengths, or of two kinds, is as many counts", async (bench) => {
    const day1 = bench.limit({ id: "day", windowMs: day, most: 3 });
    const hour1 = bench.limit({ id: "hour", windowMs: hour, most: 3 });
    const money = bench.limit({ id: "money", kind: "money", most: 3, windowMs: hour });
    const gate = { limits: [day1, hour1, money] };
    for (let i = 0; i < 3; i += 1)
      expect(await bench.enter(gate, await bench.intending(gate))).toEqual({ kind: "opened" });
    expect(await bench.enter({ limits: [day1] })).toMatchObject({ stop: { limit: "day" } });
    expect(await bench.enter({ limits: [hour1] })).toMatchObject({ stop: { limit: "hour" } });
  });

  prove("two limits on one count take from it once, and the lower one stops", async (bench) => {
    const gate = { limits: [bench.limit({ id: "high", most: 5 }), bench.limit({ id: "low", most: 2 })] };
    for (let i = 0; i < 2; i += 1) expect(await bench.enter(gate)).toEqual({ kind: "opened" });
    expect(await bench.enter(gate)).toMatchObject({ stop: { limit: "low" } });
  });

  prove("money is reserved at the first intent, once, and settled by what was spent", async (bench) => {
    const gate = { limits: [money(bench, 60)] };
    const call = await bench.open({ gate: bench.gate(gate) });
    expect(await reservable(bench, 100)).toBe(true);
    await bench.move(call.call, await bench.intending(gate));
    expect(await reservable(bench, 41)).toBe(false);
    await bench.move(call.call, {
      ...(await bench.intending(gate, 2)),
      endAttempt: { attempt: 1, as: "not-performed" },
    });
    expect(await reservable(bench, 40)).toBe(true);
    await bench.move(call.call, { ...(await bench.closing()), settle: { spent: 25 } });
    expect(await reservable(bench, 76)).toBe(false);
    expect(await reservable(bench, 75)).toBe(true);
  });

  prove(
    "a budget that is full stops the intent, says when it begins anew, and nothing is written",
    async (bench) => {
      await toWindow(bench, day);
      const call = await bench.open();
      const resetAt = Math.floor((await bench.harness.now()) / day) * day + day;
      expect(await bench.commit(call, await bench.intending({ limits: [money(bench, 101)] }))).toEqual({
        kind: "stopped",
        stop: { reason: "limit-reached", limit: "budget", kind: "money", resetAt },
      });
      expect(await bench.load(call.call)).toEqual(call);
      expect(await bench.commit(call, await bench.intending({ limits: [money(bench, 100)] }))).toMatchObject({
        kind: "done",
      });
    },
  );

  prove("[P7] an unknown outcome keeps the money reserved and frees the place", async (bench) => {
    const gate = { limits: [money(bench, 60), place(bench)] };
    const call = await bench.open();
    await bench.move(call.call, await bench.intending(gate));
    const unknown = { outcome: { kind: "unknown", code: "x" }, settle: { spent: "unknown" } } as const;
    await bench.move(call.call, { ...(await bench.closing()), ...unknown });
    expect(await reservable(bench, 41)).toBe(false);
    const next = await bench.open();
    expect(await bench.move(next.call, await bench.intending({ limits: [place(bench)] }))).toMatchObject({
      kind: "done",
    });
  });

  prove("concurrency is held from the first intent to the outcome, in no window", async (bench) => {
    const gate = { limits: [place(bench)] };
    const [first, second] = [await bench.open(), await bench.open()];
    await bench.move(first.call, await bench.intending(gate));
    await bench.move(first.call, { state: "delayed", endAttempt: { attempt: 1, as: "not-performed" } });
    await bench.harness.advanceClock(30 * day);
    expect(await bench.move(second.call, await bench.intending(gate))).toEqual({
      kind: "stopped",
      stop: { reason: "limit-reached", limit: "places", kind: "concurrency" },
    });
    expect(await bench.move(first.call, await bench.intending(gate, 2))).toMatchObject({ kind: "done" });
    await bench.move(first.call, { ...(await bench.closing()), settle: { spent: 0 } });
    expect(await bench.move(second.call, await bench.intending(gate))).toMatchObject({ kind: "done" });
  });

  prove(
    "accepted and intended in one: calls are counted, money and a place taken, or nothing at all",
    async (bench) => {
      const gate = { limits: [bench.limit({ most: 2 }), money(bench, 60), place(bench)] };
      expect(await bench.enter(gate, await bench.intending(gate))).toEqual({ kind: "opened" });
      expect(await bench.enter(gate, await bench.intending(gate))).toMatchObject({
        stop: { limit: "budget" },
      });
      expect(await bench.enter({ limits: [bench.limit({ most: 2 })] })).toEqual({ kind: "opened" });
      expect(await bench.enter({ limits: [bench.limit({ most: 2 })] })).toMatchObject({
        stop: { limit: "a-limit" },
      });
    },
  );

  prove("what is settled after its window ended counts in no later one", async (bench) => {
    await toWindow(bench, day);
    const gate = { limits: [money(bench, 100)] };
    const call = await bench.open();
    await bench.move(call.call, await bench.intending(gate));
    await bench.harness.advanceClock(day);
    expect(await reservable(bench, 100)).toBe(true);
    await bench.move(call.call, { ...(await bench.closing()), settle: { spent: 100 } });
    expect(await reservable(bench, 100)).toBe(true);
  });

  prove(
    "usage: calls of the last hour and day, money spent or reserved today, limit or not",
    async (bench) => {
      await toWindow(bench, day);
      const other = bench.agent("other");
      await bench.harness.addPrincipal(other);
      const spend = { principal: "agent", amount: 70 };
      const usage = () => bench.store.usage(bench.agent());
      expect(await usage()).toMatchObject({ callsLastHour: 0, callsLastDay: 0, spentToday: 0 });
      const call = await bench.open();
      await bench.open({ principal: other });
      await bench.move(call.call, await bench.intending({ spend }));
      expect(await usage()).toMatchObject({ callsLastHour: 1, callsLastDay: 1, spentToday: 70 });
      await bench.move(call.call, await bench.intending({ spend }, 2));
      await bench.move(call.call, { ...(await bench.closing()), settle: { spent: 30 } });
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
    await toWindow(bench, hour);
    const { store } = await bench.harness.otherLife();
    const gate = { limits: [bench.limit({ most: 20 })] };
    const all = Array.from({ length: 64 }, (_, i) => bench.enter(gate, {}, i % 2 ? store : bench.store));
    const answers = await Promise.all(all);
    expect(answers.filter(({ kind }) => kind === "opened").length).toBe(20);
    expect(answers.filter(({ kind }) => kind === "stopped").length).toBe(44);
  });
};

/** Near the beginning of a window, so that it does not end in the middle of a test. */
async function toWindow({ harness }: Bench, windowMs: number): Promise<void> {
  await harness.advanceClock(windowMs - ((await harness.now()) % windowMs) + minute);
}

const money = (bench: Bench, amount: number): Limit =>
  bench.limit({ id: "budget", kind: "money", key: "purse", windowMs: day, most: 100, amount });

const place = (bench: Bench): Limit =>
  bench.limit({ id: "places", kind: "concurrency", key: "desk", windowMs: 0, most: 1 });

/** Whether the budget of 100 has room for this much: tried by a call that gives it back at once. */
async function reservable(bench: Bench, amount: number): Promise<boolean> {
  const { call } = await bench.open();
  const { kind } = await bench.move(call, await bench.intending({ limits: [money(bench, amount)] }));
  await bench.move(call, { ...(await bench.closing()), settle: { spent: 0 } });
  return kind === "done";
}
