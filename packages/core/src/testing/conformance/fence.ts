import type { JsonObject } from "../../json.ts";
import type { ConformanceSuite } from "./harness.ts";
import { minute } from "./store-fixture.ts";

/** [fence] Tests that every write names the epoch it read. A write with any other epoch has no effect. */
export const fenceSuite: ConformanceSuite = (prove, expect) => {
  prove("[fence] a commit raises the epoch and writes everything it says", async (bench) => {
    const call = await bench.open();
    const deadline = call.createdAt + 7 * minute;
    const nextAt = call.createdAt + 3 * minute;
    const ruled = await bench.createEvent("ruled", { ruling: "allow", policies: ["a"] });
    const given = { state: "delayed", nextAt, deadline, events: [ruled] } as const;
    expect(await bench.commit(call, given)).toEqual({ kind: "done", epoch: 2, wake: [] });
    expect(await bench.load(call.call)).toEqual({
      ...call,
      epoch: 2,
      state: "delayed",
      nextAt,
      deadline,
      events: [...call.events, { seq: 2, ...ruled }],
    });
  });

  prove("what a commit does not mention stays", async (bench) => {
    const call = await bench.open({ deadline: (await bench.harness.now()) + minute });
    await bench.commit(call, { nextAt: call.nextAt });
    expect(await bench.load(call.call)).toEqual({ ...call, epoch: 2 });
  });

  prove("[fence] a commit at an older or a future epoch is lost and writes nothing", async (bench) => {
    const call = await bench.open();
    await bench.commit(call);
    const before = await bench.load(call.call);
    const late = {
      state: "queued",
      events: [await bench.createEvent("ruled")],
      ...(await bench.createClosing()),
    } as const;
    expect(await bench.commit(call, late)).toEqual({ kind: "lost" });
    expect(await bench.commit({ ...call, epoch: 3 }, late)).toEqual({ kind: "lost" });
    expect(await bench.load(call.call)).toEqual(before);
    expect(await bench.harness.listReceipts(call.call)).toEqual([]);
  });

  prove("[fence] a commit to a missing or a closed call is lost", async (bench) => {
    const call = await bench.open();
    expect(await bench.commit({ ...call, call: "call_none" })).toEqual({ kind: "lost" });
    await bench.close(call.call);
    const closed = await bench.load(call.call);
    expect(await bench.commit(closed)).toEqual({ kind: "lost" });
    expect(await bench.load(call.call)).toEqual(closed);
  });

  prove("[fence] of 20 commits at one epoch exactly one is done", async (bench) => {
    const call = await bench.open();
    const voices = Array.from({ length: 20 }, (_, index) => bench.createEvent("ruled", { voice: index }));
    const events = await Promise.all(voices);
    const results = await Promise.all(events.map((event) => bench.commit(call, { events: [event] })));
    const done = results.flatMap((result, index) => (result.kind === "done" ? [index] : []));
    expect(done.length).toBe(1);
    expect(results.filter(({ kind }) => kind === "lost").length).toBe(19);
    const after = await bench.load(call.call);
    expect([
      after.epoch,
      after.events.length,
      (after.events[1]!.data as unknown as JsonObject).voice,
    ]).toEqual([2, 2, done[0]]);
  });

  prove("[P2] closing writes the outcome and the receipt together", async (bench) => {
    const call = await bench.open();
    const move = await bench.createClosing();
    expect(await bench.commit(call, move)).toMatchObject({ kind: "done", epoch: 2 });
    const closed = await bench.load(call.call);
    expect([closed.state, closed.nextAt, closed.outcome]).toEqual(["closed", undefined, move.outcome]);
    expect(await bench.harness.listReceipts(call.call)).toEqual([move.receipt]);
  });

  prove("[P2] a second receipt for one call throws and writes nothing", async (bench) => {
    const call = await bench.open();
    const first = bench.createReceipt();
    await bench.commitCurrent(call.call, { receipt: first });
    const before = await bench.load(call.call);
    await expect(bench.commitCurrent(call.call, await bench.createClosing())).rejects.toThrow();
    expect(await bench.load(call.call)).toEqual(before);
    expect(await bench.harness.listReceipts(call.call)).toEqual([first]);
  });

  prove("[P7] an intent is an attempt until its end is written", async (bench) => {
    const call = await bench.open();
    const intent = { attempt: 1, at: call.createdAt, deadline: call.createdAt + minute };
    await bench.commitCurrent(call.call, { state: "performing", intent });
    const open = { number: 1, at: intent.at, deadline: intent.deadline, writerGone: false };
    expect((await bench.load(call.call)).attempts).toEqual([open]);
    const second = { ...intent, attempt: 2 };
    await bench.commitCurrent(call.call, { intent: second, endAttempt: { attempt: 1, as: "not-performed" } });
    expect((await bench.load(call.call)).attempts).toEqual([
      { ...open, ended: "not-performed" },
      { ...open, number: 2 },
    ]);
  });

  prove("[P7] an intent whose process died says so; others' do not", async (bench) => {
    const other = await bench.harness.startOtherProcess();
    const mine = await bench.open();
    const theirs = await bench.open();
    const intent = { attempt: 1, at: mine.createdAt, deadline: mine.createdAt + minute };
    await bench.commit(mine, { intent });
    await bench.commit(theirs, { intent }, other.store);
    const writersGone = async () =>
      Promise.all(
        [mine, theirs].map(async ({ call }) => (await bench.load(call)).attempts.map((a) => a.writerGone)),
      );
    expect(await writersGone()).toEqual([[false], [false]]);
    await other.die();
    expect(await writersGone()).toEqual([[false], [true]]);
    await expect(other.store.load(theirs)).rejects.toThrow();
  });

  prove(
    "[P7] an intent that the agent acts on is no process's: none that dies makes an orphan of it",
    async (bench) => {
      const other = await bench.harness.startOtherProcess();
      const call = await bench.open({ state: "offered" });
      const intent = { attempt: 1, at: call.createdAt, deadline: call.createdAt + minute };
      await bench.commit(
        call,
        { state: "performing", intent: { ...intent, performer: "agent" } },
        other.store,
      );
      await other.die();
      expect((await bench.load(call.call)).attempts).toEqual([
        { number: 1, at: intent.at, deadline: intent.deadline, writerGone: false },
      ]);
    },
  );

  prove("[P15] a move that has its time counts within it, by the store's own clock", async (bench) => {
    const call = await bench.open({ state: "offered" });
    const from = call.createdAt + 5 * minute;
    const before = from + minute;
    const timely = async () =>
      (await bench.commit(call, { state: "offered", timely: { from, before } })).kind;
    expect(await timely()).toBe("untimely");
    await bench.harness.advanceClock(6 * minute + 1);
    expect(await timely()).toBe("untimely");
    expect(await bench.load(call.call)).toEqual(call);
    const open = await bench.harness.now();
    for (const window of [{ from: open - minute }, { before: open + minute }, {}])
      expect(await bench.commitCurrent(call.call, { state: "offered", timely: window })).toMatchObject({
        kind: "done",
      });
  });

  prove("the sweeper finds open calls that are due, each once in a while", async (bench) => {
    const now = await bench.harness.now();
    const due = await bench.open({ nextAt: now - 1 });
    const later = await bench.open({ nextAt: now + 5 * minute });
    await bench.open({ nextAt: undefined, state: "closed", outcome: { kind: "refused", code: "x" } });
    const found = async () => (await bench.harness.sweep()).map(({ call }) => call);
    expect(await found()).toEqual([due.call]);
    expect(await found()).toEqual([]);
    await bench.harness.advanceClock(5 * minute + 1);
    expect((await found()).sort()).toEqual([due.call, later.call].sort());
  });
};
