import fc from "fast-check";
import { afterAll, expect, it } from "vitest";
import { type PlanAction, planActions, planArbitrary } from "./plans/model.ts";
import { PlanSequence } from "./plans/sequence.ts";
import { RealServers, turnArbitrary } from "./support/servers/test-servers.ts";

// Runs plans as in core's fault schedules: partly approved, failing in each mode, undone, withdrawn, and with steps
// that need their own approval. Processes die and time passes. The servers are real, and a model checks each response
// and each row.
const engines = ["postgres", "restate"] as const;
const side = Math.ceil(40 * Number(process.env.PARAPH_RUNS ?? 1));
// The model says that this seed reaches every situation listed below several times, and kills each process on each
// engine, so that a small sample is enough.
const seed = Number(process.env.PARAPH_SEED ?? 20_261_147);
const steps = 6;

const onPostgres = await RealServers.start(side, "postgres");
afterAll(() => onPostgres.stop());
const onRestate = await RealServers.start(side, "restate");
afterAll(() => onRestate.stop());

const sequences = fc.array(
  fc
    .tuple(planArbitrary, fc.array(planActions, { minLength: steps, maxLength: steps }))
    .map(([plan, rest]): PlanAction[] => [{ kind: "place", plan }, ...rest]),
  { minLength: side, maxLength: side },
);

it(`[P13] [P2] [P4] [P5] ${engines.length * side} sequences of plans on real servers end as the model says`, {
  timeout: 900_000,
}, async () => {
  const seen = new Set<string>();
  for (const [batch, engine] of engines.entries()) {
    const servers = engine === "postgres" ? onPostgres : onRestate;
    const [wanted] = fc.sample(sequences, { numRuns: 1, seed: seed + batch });
    const [turn] = fc.sample(turnArbitrary(steps), { numRuns: 1, seed: seed + batch });
    const all = wanted!.map((_, n) => new PlanSequence(servers, servers.agents[n]!));
    for (let step = 0; step <= steps; step += 1) {
      const { dies, passes = 0 } = turn![step] ?? {};
      await Promise.all([
        ...all.map((sequence, n) => sequence.perform(wanted![n]![step]!)),
        ...(dies ? [servers.restart(dies)] : []),
      ]);
      if (passes === 0) continue;
      await servers.advanceClock(passes);
      await Promise.all(all.map((sequence) => sequence.pass()));
    }
    expect(all.flatMap(({ faults }) => faults)).toEqual([]);
    for (const sequence of all) {
      await endedSo(sequence);
      for (const sight of sequence.coverage) seen.add(sight);
    }
  }
  const everywhere = [
    ...["succeeded done", "failed step-failed", "failed compensated", "failed compensated-in-part"],
    ...["failed no-way-back", "failed compensation-failed", "denied denied", "expired no-answer"],
    ...[
      "cancelled withdrawn",
      "partly approved",
      "step asked about",
      "way back asked about",
      "undo asked for",
    ],
  ];
  expect(everywhere.filter((sight) => !seen.has(sight))).toEqual([]);
});

/** [P4] [P13] Checks that each step ended as the model says, with one effect if it succeeded and none otherwise. */
async function endedSo(sequence: PlanSequence): Promise<void> {
  for (const { live, model } of sequence.plans.values()) {
    const rows = await sequence.steps(live);
    const open = model.at === undefined ? [] : [model.at === -1 ? "back" : String(model.at)];
    const found = [...rows].filter(([step]) => !open.includes(step));
    const told = [...model.ends].map(([index, outcome]) => [
      String(index),
      { outcome, effects: outcome === "succeeded" && model.kinds[index] !== "read" ? 1 : 0 },
    ]);
    const back = model.back === undefined ? [] : [["back", { outcome: model.back, effects: 0 }]];
    expect([live.call, Object.fromEntries(found)]).toEqual([
      live.call,
      Object.fromEntries([...told, ...back]),
    ]);
  }
}
