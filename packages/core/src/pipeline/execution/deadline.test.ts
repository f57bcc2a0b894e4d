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
  const simulation = new Simulation("deadline", signer, turnOfEvents);
  simulation.admit("natural.allowed", "key", { target: "t", locks: [], acts });
  while (simulation.messages.length === 0) await advanceOne(simulation);
  simulation.deliver(simulation.messages.shift()!);
  while (simulation.store.calls()[0]?.state !== "performing") await advanceOne(simulation);
  return simulation;
}

async function advanceOne(simulation: Simulation): Promise<void> {
  await simulation.settle();
  await simulation.step(0);
}

async function letGo(simulation: Simulation): Promise<void> {
  await simulation.settle();
  while (simulation.pendingCount > 0) await simulation.step(0);
}

const ends = (simulation: Simulation) =>
  simulation.store
    .calls()[0]!
    .events.flatMap(({ kind, at, data }) =>
      kind === "attempted" ? [{ as: data.as, code: data.code, at }] : [],
    );

describe("[P15] an attempt", () => {
  it("ends at the deadline of its intent, however late it began", async () => {
    const simulation = await stalledAfterIntent(["hang"]);
    const { deadline } = simulation.store.calls()[0]!.attempts[0]!;
    await simulation.advanceTime(20_000);
    await letGo(simulation);
    await simulation.advanceTime(10_000);
    await letGo(simulation);
    expect(simulation.clock.now()).toBe(deadline);
    expect(ends(simulation)).toEqual([{ as: "ambiguous", code: "timeout", at: deadline }]);
  });

  it("[P7] does not begin after the deadline of its intent, because another attempt may have replaced it", async () => {
    const simulation = await stalledAfterIntent(["ok"]);
    await simulation.advanceTime(31_000);
    await letGo(simulation);
    expect(simulation.outside.effects).toEqual([]);
    expect(ends(simulation)).toMatchObject([{ as: "not-performed", code: "too-late" }]);
  });
});
