import type { JsonObject } from "../../json.ts";
import type { ConformanceSuite } from "./harness.ts";
import { minute } from "./store-fixture.ts";

/** [fence] Tests that every write names the epoch it read. A write with any other epoch has no effect. */
export const fenceSuite: ConformanceSuite = (prove, expect) => {
  prove("[fence] a commit raises the epoch and writes every field that it names", async (fixture) => {
    const call = await fixture.open();
    const deadline = call.createdAt + 7 * minute;
    const nextAt = call.createdAt + 3 * minute;
    const ruled = await fixture.createEvent("ruled", { ruling: "allow", policies: ["a"] });
    const given = { state: "delayed", nextAt, deadline, events: [ruled] } as const;
    expect(await fixture.commit(call, given)).toEqual({ kind: "done", epoch: 2, wake: [] });
    expect(await fixture.load(call.call)).toEqual({
      ...call,
      epoch: 2,
      state: "delayed",
      nextAt,
      deadline,
      events: [...call.events, { seq: 2, ...ruled }],
    });
  });

  prove("a commit does not change the fields that it does not name", async (fixture) => {
    const call = await fixture.open({ deadline: (await fixture.harness.now()) + minute });
    await fixture.commit(call, { nextAt: call.nextAt });
    expect(await fixture.load(call.call)).toEqual({ ...call, epoch: 2 });
  });

  prove("[fence] a commit at an older or a future epoch is lost and writes nothing", async (fixture) => {
    const call = await fixture.open();
    await fixture.commit(call);
    const before = await fixture.load(call.call);
    const late = {
      state: "queued",
      events: [await fixture.createEvent("ruled")],
      ...(await fixture.createClosing()),
    } as const;
    expect(await fixture.commit(call, late)).toEqual({ kind: "lost" });
    expect(await fixture.commit({ ...call, epoch: 3 }, late)).toEqual({ kind: "lost" });
    expect(await fixture.load(call.call)).toEqual(before);
    expect(await fixture.harness.listReceipts(call.call)).toEqual([]);
  });

  prove("[fence] a commit to a missing or a closed call is lost", async (fixture) => {
    const call = await fixture.open();
    expect(await fixture.commit({ ...call, call: "call_none" })).toEqual({ kind: "lost" });
    await fixture.close(call.call);
    const closed = await fixture.load(call.call);
    expect(await fixture.commit(closed)).toEqual({ kind: "lost" });
    expect(await fixture.load(call.call)).toEqual(closed);
  });

  prove("[fence] exactly one of 20 commits at one epoch is done", async (fixture) => {
    const call = await fixture.open();
    const voices = Array.from({ length: 20 }, (_, index) => fixture.createEvent("ruled", { voice: index }));
    const events = await Promise.all(voices);
    const results = await Promise.all(events.map((event) => fixture.commit(call, { events: [event] })));
    const done = results.flatMap((result, index) => (result.kind === "done" ? [index] : []));
    expect(done.length).toBe(1);
    expect(results.filter(({ kind }) => kind === "lost").length).toBe(19);
    const after = await fixture.load(call.call);
    expect([
      after.epoch,
      after.events.length,
      (after.events[1]!.data as unknown as JsonObject).voice,
    ]).toEqual([2, 2, done[0]]);
  });

  prove("[P2] closing writes the outcome and the receipt together", async (fixture) => {
    const call = await fixture.open();
    const move = await fixture.createClosing();
    expect(await fixture.commit(call, move)).toMatchObject({ kind: "done", epoch: 2 });
    const closed = await fixture.load(call.call);
    expect([closed.state, closed.nextAt, closed.outcome]).toEqual(["closed", undefined, move.outcome]);
    expect(await fixture.harness.listReceipts(call.call)).toEqual([move.receipt]);
  });

  prove("[P2] a second receipt for one call throws and writes nothing", async (fixture) => {
    const call = await fixture.open();
    const first = fixture.createReceipt();
    await fixture.commitCurrent(call.call, { receipt: first });
    const before = await fixture.load(call.call);
    await expect(fixture.commitCurrent(call.call, await fixture.createClosing())).rejects.toThrow();
    expect(await fixture.load(call.call)).toEqual(before);
    expect(await fixture.harness.listReceipts(call.call)).toEqual([first]);
  });

  prove("[P7] an intent is an open attempt until its end is written", async (fixture) => {
    const call = await fixture.open();
    const intent = { attempt: 1, at: call.createdAt, deadline: call.createdAt + minute };
    await fixture.commitCurrent(call.call, { state: "performing", intent });
    const open = { number: 1, at: intent.at, deadline: intent.deadline, writerGone: false };
    expect((await fixture.load(call.call)).attempts).toEqual([open]);
    const second = { ...intent, attempt: 2 };
    await fixture.commitCurrent(call.call, {
      intent: second,
      endAttempt: { attempt: 1, as: "not-performed" },
    });
    expect((await fixture.load(call.call)).attempts).toEqual([
      { ...open, ended: "not-performed" },
      { ...open, number: 2 },
    ]);
  });

  prove("[P7] only the attempt of a process that died reports that its writer is gone", async (fixture) => {
    const other = await fixture.harness.startOtherProcess();
    const mine = await fixture.open();
    const theirs = await fixture.open();
    const intent = { attempt: 1, at: mine.createdAt, deadline: mine.createdAt + minute };
    await fixture.commit(mine, { intent });
    await fixture.commit(theirs, { intent }, other.store);
    const writersGone = async () =>
      Promise.all(
        [mine, theirs].map(async ({ call }) => (await fixture.load(call)).attempts.map((a) => a.writerGone)),
      );
    expect(await writersGone()).toEqual([[false], [false]]);
    await other.die();
    expect(await writersGone()).toEqual([[false], [true]]);
    await expect(other.store.load(theirs)).rejects.toThrow();
  });

  prove(
    "[P7] an intent that the agent performs is not orphaned when the process that wrote it dies",
    async (fixture) => {
      const other = await fixture.harness.startOtherProcess();
      const call = await fixture.open({ state: "offered" });
      const intent = { attempt: 1, at: call.createdAt, deadline: call.createdAt + minute };
      await fixture.commit(
        call,
        { state: "performing", intent: { ...intent, performer: "agent" } },
        other.store,
      );
      await other.die();
      expect((await fixture.load(call.call)).attempts).toEqual([
        { number: 1, at: intent.at, deadline: intent.deadline, writerGone: false },
      ]);
    },
  );

  prove(
    "[P15] a transition with a time window is done only within it, by the store's own clock",
    async (fixture) => {
      const call = await fixture.open({ state: "offered" });
      const from = call.createdAt + 5 * minute;
      const before = from + minute;
      const timely = async () =>
        (await fixture.commit(call, { state: "offered", timely: { from, before } })).kind;
      expect(await timely()).toBe("untimely");
      await fixture.harness.advanceClock(6 * minute + 1);
      expect(await timely()).toBe("untimely");
      expect(await fixture.load(call.call)).toEqual(call);
      const open = await fixture.harness.now();
      for (const window of [{ from: open - minute }, { before: open + minute }, {}])
        expect(await fixture.commitCurrent(call.call, { state: "offered", timely: window })).toMatchObject({
          kind: "done",
        });
    },
  );

  prove(
    "the sweeper finds open calls that are due, and finds each again only after a while",
    async (fixture) => {
      const now = await fixture.harness.now();
      const due = await fixture.open({ nextAt: now - 1 });
      const later = await fixture.open({ nextAt: now + 5 * minute });
      await fixture.open({ nextAt: undefined, state: "closed", outcome: { kind: "refused", code: "x" } });
      const found = async () => (await fixture.harness.sweep()).map(({ call }) => call);
      expect(await found()).toEqual([due.call]);
      expect(await found()).toEqual([]);
      await fixture.harness.advanceClock(5 * minute + 1);
      expect((await found()).sort()).toEqual([due.call, later.call].sort());
    },
  );
};
