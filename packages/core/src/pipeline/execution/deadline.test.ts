import { describe, expect, it } from "vitest";
import { Simulation } from "../../testing/simulation/simulation.ts";
import { createTestSigner } from "../../testing/test-signer.ts";

const signer = await createTestSigner();
const turnOfEvents = () => new Promise<void>((resolve) => setImmediate(resolve));

/**
 * Returns a simulation with a call whose intent is committed, while its process has not yet received the result of the
 * commit.
 */
async function stalledAfterIntent(acts: string[]): Promise<Simulation> {
  const sim = new Simulation("deadline", signer, turnOfEvents);
  sim.admit("natural.allowed", "key", { target: "t", locks: [], acts });
  while (sim.messages.length === 0) await advanceOne(sim);
  sim.deliver(sim.messages.shift()!);
  while (sim.store.calls()[0]?.state !== "performing") await advanceOne(sim);
  return sim;
}

async function advanceOne(sim: Simulation): Promise<void> {
  await sim.settle();
  await sim.step(0);
}

async function letGo(sim: Simulation): Promise<void> {
  await sim.settle();
  while (sim.pendingCount > 0) await sim.step(0);
}

const ends = (sim: Simulation) =>
  sim.store
    .calls()[0]!
    .events.flatMap(({ kind, at, data }) =>
      kind === "attempted" ? [{ as: data.as, code: data.code, at }] : [],
    );

describe("[P15] an attempt ends at the deadline its intent names", () => {
  it("however much of it was lost before the attempt began", async () => {
    const sim = await stalledAfterIntent(["hang"]);
    const { deadline } = sim.store.calls()[0]!.attempts[0]!;
    await sim.advanceTime(20_000);
    await letGo(sim);
    await sim.advanceTime(10_000);
    await letGo(sim);
    expect(sim.clock.now()).toBe(deadline);
    expect(ends(sim)).toEqual([{ as: "ambiguous", code: "timeout", at: deadline }]);
  });

  it("[P7] and does not begin at all once the deadline is over: others may have taken its place", async () => {
    const sim = await stalledAfterIntent(["ok"]);
    await sim.advanceTime(31_000);
    await letGo(sim);
    expect(sim.outside.effects).toEqual([]);
    expect(ends(sim)).toMatchObject([{ as: "not-performed", code: "too-late" }]);
  });
});
