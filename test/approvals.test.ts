import fc from "fast-check";
import { afterAll, expect, it } from "vitest";
import { type ApprovalAction, approvalActions } from "./approvals/model.ts";
import { ApprovalSequence } from "./approvals/sequence.ts";
import { RealServers, turnArbitrary } from "./support/servers/test-servers.ts";

// The same combinations as in core's fault schedules: rounds, edits, quorums, expiries, freezes and deaths. Here they
// run with real processes, a real engine and a real database, and a model checks each response and each row.
const batches = 1;
const side = Math.ceil(50 * Number(process.env.PARAPH_RUNS ?? 1));
const seed = Number(process.env.PARAPH_SEED ?? 20_261_115);
const steps = 8;

const servers = await RealServers.start(batches * side);
const { agents, oracle } = servers;
afterAll(() => servers.stop());

const plans = fc.array(
  fc
    .tuple(
      fc.constantFrom("asked.keyed" as const, "paired.keyed" as const),
      fc.array(approvalActions, { minLength: steps, maxLength: steps }),
    )
    .map(([capability, rest]): ApprovalAction[] => [{ kind: "ask", capability }, ...rest]),
  { minLength: side, maxLength: side },
);

it(`[P4] [P5] [P6] [P12] [P14] ${batches * side} sequences on real servers end as the model says`, {
  timeout: 900_000,
}, async () => {
  const seen = new Map<string, number>();
  for (let batch = 0; batch < batches; batch += 1) {
    const [plan] = fc.sample(plans, { numRuns: 1, seed: seed + batch });
    const [turn] = fc.sample(turnArbitrary(steps), { numRuns: 1, seed: seed + batch });
    const sequences = plan!.map((_, n) => new ApprovalSequence(servers, agents[batch * side + n]!));
    for (let step = 0; step <= steps; step += 1) {
      const { dies, passes = 0 } = turn![step] ?? {};
      await Promise.all([
        ...sequences.map((sequence, n) => sequence.perform(plan![n]![step]!)),
        ...(dies ? [servers.restart(dies)] : []),
      ]);
      if (passes === 0) continue;
      await servers.advanceClock(passes);
      await Promise.all(sequences.map((sequence) => sequence.pass()));
    }
    await Promise.all(sequences.map((sequence) => sequence.end()));
    expect(sequences.flatMap(({ faults }) => faults)).toEqual([]);
    for (const sequence of sequences) {
      for (const [call, { state, outcome = state, round }] of sequence.calls) {
        // [P4] Each performed call has one effect, and every other call has none.
        expect([call, oracle.listEffects(call).length]).toEqual([call, outcome === "succeeded done" ? 1 : 0]);
        for (const sight of [outcome, `round ${round}`]) seen.set(sight, (seen.get(sight) ?? 0) + 1);
      }
    }
  }
  const everywhere = [
    "succeeded done",
    "denied denied",
    "denied returned",
    "superseded edited",
    "expired no-answer",
    "cancelled withdrawn",
    "round 2",
  ];
  expect(everywhere.filter((sight) => !seen.has(sight))).toEqual([]);
});
