import type { Call } from "../../call.ts";
import type { NewApproval, NewCall, Transition } from "../../store.ts";
import type { ConformanceSuite } from "./harness.ts";
import { minute, type StoreFixture } from "./store-fixture.ts";

/** [P6] Tests that a call ends as superseded and its successor opens in one transaction, or that neither happens. */
export const successionSuite: ConformanceSuite = (prove, expect) => {
  prove(
    "[P6] superseding ends the old call and opens its successor, which names the old call",
    async (fixture) => {
      const { call, ask } = await openAskedCall(fixture);
      const newCall = await createSuccessor(fixture, call, { editedBy: "ana" });
      const end = await createEnding(fixture, ask);
      expect(await fixture.store.supersede(await fixture.createTransition(call, end), newCall)).toEqual({
        kind: "done",
        epoch: 2,
        wake: [],
      });
      const [old, next] = [await fixture.load(call.call), await fixture.load(newCall.call)];
      expect([old.state, old.outcome, old.approval?.status]).toEqual(["closed", end.outcome, "void"]);
      expect(await fixture.harness.listReceipts(call.call)).toEqual([end.receipt]);
      expect(next).toMatchObject({ epoch: 1, state: "asking", supersedes: call.call, editedBy: "ana" });
      expect([next.deadline, next.approval?.votes]).toEqual([newCall.deadline, []]);
      expect(await fixture.store.findByApproval(fixture.tenant, newCall.ask!.id)).toEqual(next);
    },
  );

  prove("a call without a predecessor has no `supersedes`, `editedBy` or `resolution`", async (fixture) => {
    const call = await fixture.open();
    expect(["supersedes" in call, "editedBy" in call, "resolution" in call]).toEqual([false, false, false]);
  });

  prove("[fence] a call with a newer epoch is not superseded, and no successor opens", async (fixture) => {
    const { call, ask } = await openAskedCall(fixture);
    await fixture.commit(call, { state: "asking" });
    const newCall = await createSuccessor(fixture, call);
    const before = await fixture.load(call.call);
    const end = await fixture.createTransition(call, await createEnding(fixture, ask));
    expect(await fixture.store.supersede(end, newCall)).toEqual({ kind: "lost" });
    expect(await fixture.load(call.call)).toEqual(before);
    expect(await fixture.store.load(newCall)).toBe(undefined);
  });

  prove("[P15] an edit cannot void a closed round, and no successor opens", async (fixture) => {
    const { call, ask } = await openAskedCall(fixture);
    await fixture.commit(call, { state: "asking", closeRound: { approval: ask.id, status: "denied" } });
    const moved = await fixture.load(call.call);
    const newCall = await createSuccessor(fixture, call);
    const end = await fixture.createTransition(moved, await createEnding(fixture, ask));
    expect(await fixture.store.supersede(end, newCall)).toEqual({ kind: "untimely" });
    expect(await fixture.load(call.call)).toEqual(moved);
    expect(await fixture.store.load(newCall)).toBe(undefined);
  });

  prove(
    "[P6] a gate rejection leaves the old call unchanged, with its locks and its round",
    async (fixture) => {
      const { call, ask } = await openAskedCall(fixture, { lockKeys: ["a"] });
      await fixture.lock(call.call);
      await fixture.commitCurrent(call.call, { state: "asking" });
      const before = await fixture.load(call.call);
      await fixture.harness.admin.freeze({ id: "f1", kind: "principal", subject: "agent", by: "ana" });
      const newCall = await createSuccessor(fixture, call, { gate: fixture.createGate() });
      const end = await fixture.createTransition(before, await createEnding(fixture, ask));
      const stop = { reason: "frozen", freeze: { id: "f1", kind: "principal" } };
      expect(await fixture.store.supersede(end, newCall)).toEqual({ kind: "stopped", stop });
      expect(await fixture.load(call.call)).toEqual(before);
      expect(await fixture.store.load(newCall)).toBe(undefined);
      expect(await fixture.harness.listReceipts(call.call)).toEqual([]);
      const other = await fixture.open({ lockKeys: ["a"] });
      expect(await fixture.lock(other.call)).toMatchObject({ kind: "queued" });
      await fixture.harness.admin.thaw("f1");
      expect(await fixture.store.supersede(end, newCall)).toMatchObject({ kind: "done" });
    },
  );

  prove(
    "[P6] a full limit stops the successor, and an opened successor counts towards the limit",
    async (fixture) => {
      const { call, ask } = await openAskedCall(fixture);
      const gate = fixture.createGate({ limits: [fixture.createLimit({ max: 2 })] });
      expect(await fixture.openGated(gate)).toEqual({ kind: "opened" });
      const newCall = await createSuccessor(fixture, call, { gate });
      const end = await fixture.createTransition(call, await createEnding(fixture, ask));
      expect(await fixture.store.supersede(end, newCall)).toMatchObject({ kind: "done" });
      expect(await fixture.openGated(gate)).toMatchObject({ kind: "stopped" });
      const next = await fixture.load(newCall.call);
      const third = await createSuccessor(fixture, next, { gate });
      const again = await fixture.createTransition(next, await createEnding(fixture, newCall.ask!));
      expect(await fixture.store.supersede(again, third)).toMatchObject({
        kind: "stopped",
        stop: { reason: "limit-reached", limit: "a-limit" },
      });
      expect(await fixture.load(newCall.call)).toEqual(next);
    },
  );

  prove(
    "[P1] the store rejects a successor whose key is in use, and the old call stays unchanged",
    async (fixture) => {
      const { call, ask } = await openAskedCall(fixture);
      const other = await fixture.open();
      const newCall = await createSuccessor(fixture, call, { key: other.key });
      const end = await fixture.createTransition(call, await createEnding(fixture, ask));
      await expect(fixture.store.supersede(end, newCall)).rejects.toThrow();
      expect(await fixture.load(call.call)).toEqual(call);
      expect(await fixture.store.load(newCall)).toBe(undefined);
    },
  );

  prove(
    "[P6] superseding releases the old call's locks and wakes the call that waits for them",
    async (fixture) => {
      const holder = await fixture.open({ lockKeys: ["a"] });
      await fixture.lock(holder.call);
      const waiter = await fixture.open({ lockKeys: ["a"] });
      await fixture.lock(waiter.call);
      const call = await fixture.load(holder.call);
      const newCall = await createSuccessor(fixture, call, { lockKeys: ["a"] });
      const done = await fixture.store.supersede(
        await fixture.createTransition(call, await createEnding(fixture)),
        newCall,
      );
      expect(done).toMatchObject({ kind: "done", wake: [{ tenant: fixture.tenant, call: waiter.call }] });
      expect(await fixture.lock(waiter.call)).toMatchObject({ kind: "held" });
      expect(await fixture.lock(newCall.call)).toMatchObject({ kind: "queued" });
    },
  );

  prove("[P6] superseding settles the old call's reservation", async (fixture) => {
    const gate = { limits: [fixture.createLimit({ kind: "money", max: 10, amount: 10 })] };
    const call = await fixture.open();
    await fixture.commit(call, await fixture.createIntent(gate));
    const reserved = await fixture.load(call.call);
    const end = {
      ...(await createEnding(fixture)),
      endAttempt: { attempt: 1, as: "not-performed" },
      settle: { spent: 0 },
    } as const;
    await fixture.store.supersede(
      await fixture.createTransition(reserved, end),
      await createSuccessor(fixture, reserved),
    );
    const next = await fixture.open();
    expect(await fixture.commit(next, await fixture.createIntent(gate))).toMatchObject({ kind: "done" });
  });

  prove("[P6] only one of ten concurrent edits counts, and the call has one successor", async (fixture) => {
    const { call, ask } = await openAskedCall(fixture);
    const all = await Promise.all(Array.from({ length: 10 }, () => createSuccessor(fixture, call)));
    const results = await Promise.all(
      all.map(async (given) =>
        fixture.store.supersede(
          await fixture.createTransition(call, await createEnding(fixture, ask)),
          given,
        ),
      ),
    );
    expect(results.map(({ kind }) => kind).sort()).toEqual(["done", ...Array(9).fill("lost")]);
    const opened = await Promise.all(all.map((given) => fixture.store.load(given)));
    expect(opened.filter((found) => found !== undefined).length).toBe(1);
  });

  prove("[fence] exactly one of a concurrent edit and vote counts", async (fixture) => {
    const { call, ask } = await openAskedCall(fixture);
    const newCall = await createSuccessor(fixture, call);
    const vote = { approval: ask.id, vote: await fixture.createVote("ana") };
    const closeRound = { approval: ask.id, status: "approved" } as const;
    const [edited, voted] = await Promise.all([
      fixture.store.supersede(
        await fixture.createTransition(call, await createEnding(fixture, ask)),
        newCall,
      ),
      fixture.commit(call, { state: "ready", vote, closeRound }),
    ]);
    expect([edited.kind, voted.kind].sort()).toEqual(["done", "lost"]);
    expect((await fixture.store.load(newCall)) !== undefined).toBe(edited.kind === "done");
  });
};

async function openAskedCall(
  fixture: StoreFixture,
  newCall: Partial<NewCall> = {},
): Promise<{ call: Call; ask: NewApproval }> {
  await fixture.harness.addPrincipal({ tenant: fixture.tenant, id: "ana", kind: "person" });
  const ask = await fixture.createRound();
  return { ask, call: await fixture.open({ state: "asking", ask, deadline: ask.expiresAt, ...newCall }) };
}

async function createSuccessor(
  fixture: StoreFixture,
  call: Call,
  newCall: Partial<NewCall> = {},
): Promise<NewCall> {
  const ask = await fixture.createRound();
  return fixture.createCall({
    supersedes: call.call,
    state: "asking",
    ask,
    nextAt: ask.expiresAt,
    deadline: call.deadline ?? call.createdAt + minute,
    ...newCall,
  });
}

/** Returns the transition that ends a call as superseded. */
async function createEnding(fixture: StoreFixture, ask?: NewApproval): Promise<Partial<Transition>> {
  return {
    ...(await fixture.createClosing()),
    outcome: { kind: "superseded", code: "edited" },
    ...(ask && { closeRound: { approval: ask.id, status: "void" } }),
  };
}
