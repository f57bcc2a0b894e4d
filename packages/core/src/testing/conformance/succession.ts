import type { Call } from "../../call.ts";
import type { NewApproval, NewCall, Transition } from "../../store.ts";
import type { ConformanceSuite } from "./harness.ts";
import { minute, type StoreFixture } from "./store-fixture.ts";

/** [P6] Tests that a call ends as superseded and its successor opens in one transaction, or that neither happens. */
export const successionSuite: ConformanceSuite = (prove, expect) => {
  prove("[P6] the old call ends and the new one is there, with what it succeeds", async (bench) => {
    const { call, ask } = await openAskedCall(bench);
    const given = await createSuccessor(bench, call, { editedBy: "ana" });
    const end = await createEnding(bench, ask);
    expect(await bench.store.supersede(await bench.createTransition(call, end), given)).toEqual({
      kind: "done",
      epoch: 2,
      wake: [],
    });
    const [old, next] = [await bench.load(call.call), await bench.load(given.call)];
    expect([old.state, old.outcome, old.approval?.status]).toEqual(["closed", end.outcome, "void"]);
    expect(await bench.harness.listReceipts(call.call)).toEqual([end.receipt]);
    expect(next).toMatchObject({ epoch: 1, state: "asking", supersedes: call.call, editedBy: "ana" });
    expect([next.deadline, next.approval?.votes]).toEqual([given.deadline, []]);
    expect(await bench.store.findByApproval(bench.tenant, given.ask!.id)).toEqual(next);
  });

  prove("a call that succeeds none says so by leaving it out", async (bench) => {
    const call = await bench.open();
    expect(["supersedes" in call, "editedBy" in call, "resolution" in call]).toEqual([false, false, false]);
  });

  prove("[fence] a call that has moved on is not superseded, and nothing is opened", async (bench) => {
    const { call, ask } = await openAskedCall(bench);
    await bench.commit(call, { state: "asking" });
    const given = await createSuccessor(bench, call);
    const before = await bench.load(call.call);
    const end = await bench.createTransition(call, await createEnding(bench, ask));
    expect(await bench.store.supersede(end, given)).toEqual({ kind: "lost" });
    expect(await bench.load(call.call)).toEqual(before);
    expect(await bench.store.load(given)).toBe(undefined);
  });

  prove("[P15] a round that is over cannot be edited away, and nothing is opened", async (bench) => {
    const { call, ask } = await openAskedCall(bench);
    await bench.commit(call, { state: "asking", closeRound: { approval: ask.id, status: "denied" } });
    const moved = await bench.load(call.call);
    const given = await createSuccessor(bench, call);
    const end = await bench.createTransition(moved, await createEnding(bench, ask));
    expect(await bench.store.supersede(end, given)).toEqual({ kind: "untimely" });
    expect(await bench.load(call.call)).toEqual(moved);
    expect(await bench.store.load(given)).toBe(undefined);
  });

  prove("[P6] a shut gate leaves the old call as it was, with its locks and its round", async (bench) => {
    const { call, ask } = await openAskedCall(bench, { lockKeys: ["a"] });
    await bench.lock(call.call);
    await bench.commitCurrent(call.call, { state: "asking" });
    const before = await bench.load(call.call);
    await bench.harness.admin.freeze({ id: "f1", kind: "principal", subject: "agent", by: "ana" });
    const given = await createSuccessor(bench, call, { gate: bench.createGate() });
    const end = await bench.createTransition(before, await createEnding(bench, ask));
    const stop = { reason: "frozen", freeze: { id: "f1", kind: "principal" } };
    expect(await bench.store.supersede(end, given)).toEqual({ kind: "stopped", stop });
    expect(await bench.load(call.call)).toEqual(before);
    expect(await bench.store.load(given)).toBe(undefined);
    expect(await bench.harness.listReceipts(call.call)).toEqual([]);
    const other = await bench.open({ lockKeys: ["a"] });
    expect(await bench.lock(other.call)).toMatchObject({ kind: "queued" });
    await bench.harness.admin.thaw("f1");
    expect(await bench.store.supersede(end, given)).toMatchObject({ kind: "done" });
  });

  prove("[P6] a limit that is full stops the successor, and counts one that was opened", async (bench) => {
    const { call, ask } = await openAskedCall(bench);
    const gate = bench.createGate({ limits: [bench.createLimit({ most: 2 })] });
    expect(await bench.openGated(gate)).toEqual({ kind: "opened" });
    const given = await createSuccessor(bench, call, { gate });
    const end = await bench.createTransition(call, await createEnding(bench, ask));
    expect(await bench.store.supersede(end, given)).toMatchObject({ kind: "done" });
    expect(await bench.openGated(gate)).toMatchObject({ kind: "stopped" });
    const next = await bench.load(given.call);
    const third = await createSuccessor(bench, next, { gate });
    const again = await bench.createTransition(next, await createEnding(bench, given.ask!));
    expect(await bench.store.supersede(again, third)).toMatchObject({
      kind: "stopped",
      stop: { reason: "limit-reached", limit: "a-limit" },
    });
    expect(await bench.load(given.call)).toEqual(next);
  });

  prove("[P1] a successor whose key is taken is refused, and the old call stands", async (bench) => {
    const { call, ask } = await openAskedCall(bench);
    const other = await bench.open();
    const given = await createSuccessor(bench, call, { key: other.key });
    const end = await bench.createTransition(call, await createEnding(bench, ask));
    await expect(bench.store.supersede(end, given)).rejects.toThrow();
    expect(await bench.load(call.call)).toEqual(call);
    expect(await bench.store.load(given)).toBe(undefined);
  });

  prove("[P6] the old call's locks are free, and who waited for them is woken", async (bench) => {
    const holder = await bench.open({ lockKeys: ["a"] });
    await bench.lock(holder.call);
    const waiter = await bench.open({ lockKeys: ["a"] });
    await bench.lock(waiter.call);
    const held = await bench.load(holder.call);
    const given = await createSuccessor(bench, held, { lockKeys: ["a"] });
    const done = await bench.store.supersede(
      await bench.createTransition(held, await createEnding(bench)),
      given,
    );
    expect(done).toMatchObject({ kind: "done", wake: [{ tenant: bench.tenant, call: waiter.call }] });
    expect(await bench.lock(waiter.call)).toMatchObject({ kind: "held" });
    expect(await bench.lock(given.call)).toMatchObject({ kind: "queued" });
  });

  prove("[P6] what the old call had reserved is settled", async (bench) => {
    const gate = { limits: [bench.createLimit({ kind: "money", most: 10, amount: 10 })] };
    const call = await bench.open();
    await bench.commit(call, await bench.createIntent(gate));
    const reserved = await bench.load(call.call);
    const end = {
      ...(await createEnding(bench)),
      endAttempt: { attempt: 1, as: "not-performed" },
      settle: { spent: 0 },
    } as const;
    await bench.store.supersede(
      await bench.createTransition(reserved, end),
      await createSuccessor(bench, reserved),
    );
    const next = await bench.open();
    expect(await bench.commit(next, await bench.createIntent(gate))).toMatchObject({ kind: "done" });
  });

  prove("[P6] of ten edits at once one counts, and the call has one successor", async (bench) => {
    const { call, ask } = await openAskedCall(bench);
    const all = await Promise.all(Array.from({ length: 10 }, () => createSuccessor(bench, call)));
    const results = await Promise.all(
      all.map(async (given) =>
        bench.store.supersede(await bench.createTransition(call, await createEnding(bench, ask)), given),
      ),
    );
    expect(results.map(({ kind }) => kind).sort()).toEqual(["done", ...Array(9).fill("lost")]);
    const opened = await Promise.all(all.map((given) => bench.store.load(given)));
    expect(opened.filter((found) => found !== undefined).length).toBe(1);
  });

  prove("[fence] of an edit and a vote at once exactly one counts", async (bench) => {
    const { call, ask } = await openAskedCall(bench);
    const given = await createSuccessor(bench, call);
    const vote = { approval: ask.id, vote: await bench.createVote("ana") };
    const closeRound = { approval: ask.id, status: "approved" } as const;
    const [edited, voted] = await Promise.all([
      bench.store.supersede(await bench.createTransition(call, await createEnding(bench, ask)), given),
      bench.commit(call, { state: "ready", vote, closeRound }),
    ]);
    expect([edited.kind, voted.kind].sort()).toEqual(["done", "lost"]);
    expect((await bench.store.load(given)) !== undefined).toBe(edited.kind === "done");
  });
};

async function openAskedCall(
  bench: StoreFixture,
  given: Partial<NewCall> = {},
): Promise<{ call: Call; ask: NewApproval }> {
  await bench.harness.addPrincipal({ tenant: bench.tenant, id: "ana", kind: "person" });
  const ask = await bench.createRound();
  return { ask, call: await bench.open({ state: "asking", ask, deadline: ask.expiresAt, ...given }) };
}

async function createSuccessor(
  bench: StoreFixture,
  call: Call,
  given: Partial<NewCall> = {},
): Promise<NewCall> {
  const ask = await bench.createRound();
  return bench.createCall({
    supersedes: call.call,
    state: "asking",
    ask,
    nextAt: ask.expiresAt,
    deadline: call.deadline ?? call.createdAt + minute,
    ...given,
  });
}

/** Returns the transition that ends a call as superseded. */
async function createEnding(bench: StoreFixture, ask?: NewApproval): Promise<Partial<Transition>> {
  return {
    ...(await bench.createClosing()),
    outcome: { kind: "superseded", code: "edited" },
    ...(ask && { closeRound: { approval: ask.id, status: "void" } }),
  };
}
