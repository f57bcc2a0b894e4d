import fc from "fast-check";
import { Pool } from "pg";
import { afterAll, expect, it } from "vitest";
import { provision } from "../packages/server/src/postgres/index.ts";
import { type Deed, deeds } from "./approvals/model.ts";
import { Sequence, type Stage } from "./approvals/sequence.ts";
import { Cluster } from "./cluster.ts";

// The same meetings as in core's storms, of rounds, edits, quorums, ends of time, freezes and deaths, but with real
// processes, a real engine and a real database; each answer and each row is held against a model.
const batches = 3;
const side = Math.ceil(100 * Number(process.env.PARAPH_RUNS ?? 1));
const seed = Number(process.env.PARAPH_SEED ?? 20_261_115);
const steps = 8;
const hour = 3_600_000;

const cluster = await Cluster.start();
afterAll(async () => {
  await rows.end();
  await cluster.stop();
});
cluster.environment = { MOST_DENIALS: "1000000", NORMAL_EXPIRES: "24h", HERE: "0" };
const { keys, agents } = await provision(cluster.database.ownerUrl, async (p) => {
  for (const id of ["ana", "bo"]) await p.principal({ tenant: "acme", id, kind: "person" });
  const agents: { id: string; key: string }[] = [];
  for (let n = 0; n < batches * side; n += 1) {
    const id = `bot${n}`;
    await p.principal({ tenant: "acme", id, kind: "agent", owner: "owner" });
    agents.push({ id, key: await p.key("acme", id) });
  }
  return { agents, keys: { ana: await p.key("acme", "ana"), bo: await p.key("acme", "bo") } };
});

/** The processes, which are killed and started again, and the clock, which leaps. */
const processes = { api: await cluster.process("api"), worker: await cluster.process("worker") };
let leapt = 0;
const rows = new Pool({ connectionString: cluster.database.ownerUrl, max: 8 });
const stage: Stage = {
  ...{ oracle: cluster.oracle, rows },
  keys: { ...keys, owner: cluster.keys.owner },
  url: () => processes.api.url,
  now: () => Date.now() + leapt,
};

async function die(role: "api" | "worker"): Promise<void> {
  await processes[role].kill();
  processes[role] = await cluster.process(role);
}

/** Lets time pass, until both processes know it: a call of nobody's tells what they believe. */
async function leap(ms: number): Promise<void> {
  leapt += ms;
  await rows.query(
    `create or replace function paraph.now() returns timestamptz language sql volatile as 'select clock_timestamp() + interval ''${leapt} ms'''`,
  );
  const known = async () => {
    const response = await fetch(`${stage.url()}/v1/calls`, {
      method: "POST",
      headers: {
        ...{ authorization: `Bearer ${cluster.keys.agent}`, "content-type": "application/json" },
        prefer: "wait=10",
      },
      body: JSON.stringify({ capability: "free.natural", input: { name: "clock" } }),
    });
    const { call } = (await response.json()) as { call: string };
    const {
      rows: [times],
    } = await rows.query(
      "select count(*)::int from paraph.event where call = $1 and kind in ('accepted', 'intended') and at > $2",
      [call, new Date(stage.now() - hour / 2)],
    );
    return Number(times?.count) === 2;
  };
  while (!(await known()));
}

/** What happens to everybody while each does their own. */
const turns = fc.array(
  fc.record({
    dies: fc.constantFrom(undefined, undefined, undefined, undefined, "api" as const, "worker" as const),
    passes: fc.constantFrom(0, 0, 0, 0, 2 * hour, 2 * hour, 30 * hour),
  }),
  { minLength: steps, maxLength: steps },
);
const plans = fc.array(
  fc
    .tuple(
      fc.constantFrom("asked.keyed" as const, "paired.keyed" as const),
      fc.array(deeds, { minLength: steps, maxLength: steps }),
    )
    .map(([capability, rest]): Deed[] => [{ kind: "ask", capability }, ...rest]),
  { minLength: side, maxLength: side },
);

it(`[P4] [P5] [P6] [P12] [P14] ${batches * side} sequences on real servers end as the model says`, {
  timeout: 900_000,
}, async () => {
  const seen = new Map<string, number>();
  for (let batch = 0; batch < batches; batch += 1) {
    const [plan] = fc.sample(plans, { numRuns: 1, seed: seed + batch });
    const [turn] = fc.sample(turns, { numRuns: 1, seed: seed + batch });
    const sequences = plan!.map((_, n) => new Sequence(stage, agents[batch * side + n]!));
    for (let step = 0; step <= steps; step += 1) {
      const { dies, passes = 0 } = turn![step] ?? {};
      await Promise.all([
        ...sequences.map((sequence, n) => sequence.do(plan![n]![step]!)),
        ...(dies ? [die(dies)] : []),
      ]);
      if (passes === 0) continue;
      await leap(passes);
      await Promise.all(sequences.map((sequence) => sequence.pass()));
    }
    await Promise.all(sequences.map((sequence) => sequence.end()));
    expect(sequences.flatMap(({ faults }) => faults)).toEqual([]);
    for (const sequence of sequences) {
      for (const [call, { state, outcome = state, round }] of sequence.calls) {
        // [P4] One effect where the model says that it was performed, none anywhere else.
        expect([call, cluster.oracle.of(call).length]).toEqual([call, outcome === "succeeded done" ? 1 : 0]);
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
