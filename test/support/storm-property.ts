import { lastEvent } from "@paraph/core";
import fc from "fast-check";
import type { Call } from "../../packages/core/src/call.ts";
import { freezeKinds } from "../../packages/core/src/freeze.ts";
import type { PlanRequest } from "../../packages/core/src/plan/plan-document.ts";
import { planCapability } from "../../packages/core/src/plan/undo-plan.ts";
import { findViolations } from "../../packages/core/src/testing/laws/call-laws.ts";
import {
  actKinds,
  externalCapabilities,
  previewKinds,
  probeKinds,
} from "../../packages/core/src/testing/simulation/external-system.ts";
import {
  type FaultSchedule,
  runFaultSchedule,
  type ScheduledEvent,
  type SimulatedInput,
} from "../../packages/core/src/testing/simulation/fault-schedule.ts";
import type { Simulation } from "../../packages/core/src/testing/simulation/simulation.ts";
import { createTestSigner } from "../../packages/core/src/testing/test-signer.ts";

/**
 * The kind of faults in a schedule. In a calm schedule, everything is slow, duplicated and out of order, but no process
 * dies and no message is lost.
 */
export interface LoadProfile {
  readonly calm: boolean;
  readonly capabilities: RegExp;
  /** The lock keys to draw from. Fewer keys and targets cause more conflicts. */
  readonly lockKeys: readonly string[];
  readonly targets: readonly string[];
  /** Whether most requests are plans. */
  readonly plans?: boolean;
  /** Whether people act more often and more outcomes become unknown, so that people have to resolve them. */
  readonly lively?: boolean;
}

const pickArbitrary = fc.nat({ max: 30 });
const mostlyArbitrary = <T>(usual: T, others: readonly T[], odds = 3) =>
  fc.oneof(
    { arbitrary: fc.constant(usual), weight: odds },
    { arbitrary: fc.constantFrom(...others), weight: 1 },
  );

/** Draws any fault schedule of this profile. It starts with a few calls, so that faults have something to affect. */
export function stormArbitrary(climate: LoadProfile): fc.Arbitrary<FaultSchedule> {
  const names = externalCapabilities.map(({ contract }) => contract.name);
  const target = fc.constantFrom(...climate.targets);
  const often = climate.lively ? 3 : 1;
  const capability = fc.constantFrom(...names.filter((name) => climate.capabilities.test(name)));
  const input = fc.record({
    target,
    locks: fc.subarray([...climate.lockKeys]),
    acts: fc.array(mostlyArbitrary<string>("ok", actKinds, climate.lively ? 1 : 4), { maxLength: 5 }),
    looks: fc.array(mostlyArbitrary<string>("ok", previewKinds, 9), { maxLength: 4 }),
    probes: fc.array(mostlyArbitrary<string>("sure", probeKinds, climate.lively ? 1 : 3), { maxLength: 3 }),
  });
  const plan = planDocumentArbitrary(capability, input);
  const key = fc.constantFrom("k1", "k2", "k3", "k4", "k5", "k6", "k7", "k8");
  const single = fc.record({ kind: fc.constant("admit" as const), capability, key, input });
  const whole = fc.record({
    kind: fc.constant("admit" as const),
    capability: fc.constant<string>(planCapability),
    key,
    input: plan,
  });
  const admission: fc.Arbitrary<Extract<ScheduledEvent, { kind: "admit" }>> = climate.plans
    ? fc.oneof({ arbitrary: whole, weight: 3 }, { arbitrary: single, weight: 1 })
    : single;
  const deliver = fc.record({
    kind: fc.constant("deliver" as const),
    pick: pickArbitrary,
    twice: fc.boolean(),
    early: climate.calm ? fc.constant(false) : fc.boolean(),
  });
  const decide = fc.record({
    kind: fc.constant("decide" as const),
    pick: pickArbitrary,
    voter: pickArbitrary,
    decision: mostlyArbitrary<"approve" | "deny" | "return">("approve", ["deny", "return"], 9),
    wrongDigest: mostlyArbitrary(false, [true], 9),
    ...(climate.plans && { declined: mostlyArbitrary(0, [1, 2, 3, 5, 9]) }),
  });
  const edit = fc.record({
    kind: fc.constant("edit" as const),
    pick: pickArbitrary,
    editor: pickArbitrary,
    input,
    ...(climate.plans && { plan }),
    wrongDigest: mostlyArbitrary(false, [true], 9),
  });
  const withdraw = fc.record({
    kind: fc.constant("withdraw" as const),
    pick: pickArbitrary,
    by: pickArbitrary,
  });
  const finding = fc.constantFrom("happened" as const, "not-happened" as const, "probe" as const);
  const resolve = fc.record({
    kind: fc.constant("resolve" as const),
    pick: pickArbitrary,
    by: pickArbitrary,
    finding,
  });
  const pass = fc.record({
    kind: fc.constant("pass" as const),
    ms: fc.constantFrom(10, 600, 1_000, 5_000, 10_000, 31_000, 40_000, 600_000, 3_700_000, 86_400_000),
  });
  const move = fc.record({ kind: fc.constant("move" as const), target });
  const freeze = fc.record({
    kind: fc.constant("freeze" as const),
    what: fc.constantFrom(...freezeKinds),
    pick: pickArbitrary,
  });
  const moment = fc.constantFrom("before" as const, "after" as const);
  const doom = fc.record({
    kind: fc.constant("doom" as const),
    at: fc.record({
      operation: fc.constantFrom("supersede" as const, "resolve" as const, "commit" as const),
      moment,
    }),
  });
  const rough: fc.WeightedArbitrary<ScheduledEvent>[] = [
    { arbitrary: doom, weight: often },
    { arbitrary: freeze, weight: often },
    { arbitrary: fc.constant({ kind: "thaw" as const }), weight: often },
    { arbitrary: fc.constant({ kind: "deploy" as const }), weight: 1 },
    { arbitrary: fc.record({ kind: fc.constant("drop" as const), pick: pickArbitrary }), weight: 1 },
    {
      arbitrary: fc.record({
        kind: fc.constant("step" as const),
        pick: pickArbitrary,
        fate: mostlyArbitrary("crash", ["fail"] as const) as fc.Arbitrary<"crash" | "fail">,
      }),
      weight: 4,
    },
    { arbitrary: fc.record({ kind: fc.constant("kill" as const), pick: pickArbitrary }), weight: 1 },
    { arbitrary: fc.constant({ kind: "wipe" as const }), weight: 1 },
    { arbitrary: fc.constant({ kind: "sweep" as const }), weight: 2 },
  ];
  const blow: fc.Arbitrary<ScheduledEvent> = fc.oneof(
    { arbitrary: admission, weight: 2 },
    { arbitrary: deliver, weight: 8 },
    { arbitrary: decide, weight: climate.lively ? 10 : 6 },
    { arbitrary: edit, weight: often },
    { arbitrary: withdraw, weight: 1 },
    { arbitrary: resolve, weight: often },
    { arbitrary: pass, weight: climate.calm ? 1 : 3 },
    { arbitrary: move, weight: often },
    ...(climate.calm ? [] : rough),
  );
  const then = fc.array(pickArbitrary, { maxLength: 14, size: "max" });
  const sequence = (of: fc.Arbitrary<ScheduledEvent>, minLength: number, maxLength: number) =>
    fc.array(fc.record({ blow: of, then }), { minLength, maxLength, size: "max" });
  const findings = fc.record(
    { finding, ...(!climate.calm && { dies: moment }) },
    { requiredKeys: ["finding"] },
  ) as fc.Arbitrary<NonNullable<FaultSchedule["findings"]>>;
  return fc.record(
    {
      blows: fc
        .tuple(
          sequence(admission, 1, climate.plans ? 2 : 4),
          sequence(blow, 0, climate.plans ? 16 : climate.lively ? 40 : 28),
        )
        .map(([first, rest]) => [...first, ...rest]),
      after: climate.calm
        ? fc.constant({ engine: true, sweeper: false })
        : fc.constantFrom({ engine: true, sweeper: true }, { engine: false, sweeper: true }),
      findings,
    },
    { requiredKeys: ["blows", "after"] },
  );
}

/** Draws plans of a few steps. Some steps take a value from an earlier one or name the steps they come after. */
function planDocumentArbitrary(
  capability: fc.Arbitrary<string>,
  input: fc.Arbitrary<SimulatedInput>,
): fc.Arbitrary<PlanRequest> {
  const step = fc.record({
    capability,
    input,
    after: fc.option(fc.nat({ max: 15 }), { nil: undefined }),
    takes: fc.option(fc.nat({ max: 3 }), { nil: undefined, freq: 4 }),
  });
  return fc
    .record({
      onFailure: fc.constantFrom("stop" as const, "continue" as const, "compensate" as const),
      steps: fc.array(step, { minLength: 1, maxLength: 4 }),
    })
    .map(({ onFailure, steps }) => ({
      version: 1 as const,
      onFailure,
      steps: steps.map(({ capability, input, after, takes }, index) => ({
        id: `s${index}`,
        capability,
        input: {
          ...input,
          target: takes !== undefined && takes < index ? { $from: `s${takes}`, path: "/done" } : input.target,
        } as never,
        ...(after !== undefined && {
          after: Array.from({ length: index }, (_, n) => n)
            .filter((n) => (after >> n) & 1)
            .map((n) => `s${n}`),
        }),
      })),
    }));
}

/** `PARAPH_SEED` changes the sample of a run, and `PARAPH_RUNS` multiplies its length. */
const ciSeed = 20_261_115;
const seed = Number(process.env.PARAPH_SEED ?? ciSeed);
const runFactor = Number(process.env.PARAPH_RUNS ?? 1);

/** The fault schedules to run, and the situations that they must reach. */
export interface StormSample {
  readonly runs: number;
  /** The numbers of later schedules of CI's seed, which reach what the first `runs` schedules do not. */
  readonly rare?: readonly number[];
  /** A situation that never occurs is not tested, so the sample must reach all of these. */
  readonly reach?: readonly string[];
}

/**
 * Runs the fault schedules of a profile and checks every invariant after each. Returns how often each situation
 * occurred.
 */
export async function proveLaws(
  climate: LoadProfile,
  { runs, rare = [], reach = [] }: StormSample,
): Promise<ReadonlyMap<string, number>> {
  const signer = await createTestSigner();
  const seen = new Map<string, number>();
  const property = fc.asyncProperty(stormArbitrary(climate), async (storm) => {
    const simulation = await runFaultSchedule(storm, signer, waitForEventLoop);
    for (const sight of listCoverage(simulation)) seen.set(sight, (seen.get(sight) ?? 0) + 1);
    const broken = await findViolations(simulation, signer.publicKey);
    if (broken.length > 0) throw new Error(broken.join("\n"));
  });
  await fc.assert(property, { seed, numRuns: Math.ceil(runs * runFactor) });
  // Other seeds and longer runs reach other situations by chance.
  if (seed !== ciSeed || runFactor !== 1) return seen;
  for (const run of rare)
    await fc.assert(property, { seed, path: String(run), numRuns: 1, endOnFailure: true });
  const missing = reach.filter((situation) => !seen.has(situation));
  if (missing.length > 0) throw new Error(await explainMissing(missing, climate, runs));
  return seen;
}

/** The number of schedules among which `explainMissing` searches. */
const maxSearchedRuns = 6_000;

/** Names the runs that reach the missing situations, so that a developer can add them to `rare`. */
async function explainMissing(
  missing: readonly string[],
  climate: LoadProfile,
  runs: number,
): Promise<string> {
  const signer = await createTestSigner();
  const found: number[] = [];
  let open = missing;
  for (let run = runs; run < maxSearchedRuns && open.length > 0; run += 1) {
    const [storm] = fc.sample(stormArbitrary(climate), { seed, path: String(run), numRuns: 1 });
    const reached = listCoverage(await runFaultSchedule(storm!, signer, waitForEventLoop));
    if (!open.some((situation) => reached.includes(situation))) continue;
    found.push(run);
    open = open.filter((situation) => !reached.includes(situation));
  }
  return [
    `The sample does not reach: ${missing.join(", ")}.`,
    found.length > 0 ? `Add these runs to \`rare\`: ${found.join(", ")}.` : "",
    open.length > 0 ? `No run below ${maxSearchedRuns} reaches: ${open.join(", ")}.` : "",
  ].join(" ");
}

const waitForEventLoop = () => new Promise<void>((resolve) => setImmediate(resolve));

/** Returns the situations of a fault schedule, in words that tests can check. */
function listCoverage(simulation: Simulation): string[] {
  const calls = simulation.store.calls();
  const crashes = simulation.crashes.map(({ operation, moment }) => `crash ${moment} ${operation}`);
  return [
    ...crashes,
    ...calls.flatMap((call) => [...listEventCoverage(call), ...listTurnCoverage(call, calls, simulation)]),
  ];
}

function listEventCoverage({ outcome, state, events, resolution }: Call): string[] {
  return [
    `${outcome?.kind ?? state} ${outcome?.code ?? ""}`.trim(),
    ...(resolution ? [`resolved ${resolution.finding} by ${resolution.how}`] : []),
    ...events.map(({ kind, data }) => {
      if (kind === "attempted") return `attempt ${data.as}`;
      return kind === "round-closed" ? `round ${data.status} ${data.code ?? ""}`.trim() : kind;
    }),
  ];
}

/** Returns how edits, rounds, quorums, expiries and freezes combined. */
function listTurnCoverage(call: Call, calls: readonly Call[], simulation: Simulation): string[] {
  const { outcome, approval, events } = call;
  const end = events.find(({ kind }) => kind === "closed");
  const old = calls.find((candidate) => candidate.call === call.supersedes);
  const approvals = approval?.votes.filter(({ decision }) => decision === "approve").length ?? 0;
  const parked = events.some(({ kind }) => kind === "parked");
  return [
    ...(end && simulation.freezes.isFrozenAt(end.at) ? [`${outcome?.kind} while frozen`] : []),
    ...(parked ? [`parked, then ${outcome?.kind}`] : []),
    ...(approvals > 1 && approval?.status === "approved" ? [`quorum, then ${outcome?.kind}`] : []),
    ...(outcome?.code === "edited" ? [`edited in round ${approval?.round}`] : []),
    ...(outcome?.code === "edited" && approvals > 0 ? ["edited after a vote"] : []),
    ...(old ? [`successor (${old.outcome?.code}) ${outcome?.kind}`] : []),
    ...(old?.supersedes !== undefined ? ["successor of a successor"] : []),
    ...(old && approvals > 1 ? ["successor with a quorum"] : []),
    ...(old && parked ? ["successor parked"] : []),
    ...listPlanCoverage(call, calls),
  ];
}

/** Returns the situations of plans. */
function listPlanCoverage(
  { capability, outcome, events, parent, approval }: Call,
  calls: readonly Call[],
): string[] {
  const whole = calls.find(({ call }) => call === parent?.call);
  const covered = events.some(({ kind }) => kind === "approval-inherited");
  const partly = events.some(({ kind, data }) => kind === "began" && data.declined !== undefined);
  return [
    ...(capability === planCapability ? [`plan ${outcome?.kind} ${outcome?.code}`] : []),
    ...(partly ? [`partly approved, then ${outcome?.kind}`] : []),
    ...(covered ? [`covered step ${outcome?.kind}`] : []),
    ...(covered && approval ? ["covered step asked again"] : []),
    ...(whole && !covered && approval ? [`step asked by itself ${outcome?.kind}`] : []),
    ...(whole && lastEvent(events, "accepted")?.data.supersedes !== undefined
      ? ["step edited or readmitted"]
      : []),
    ...(parent && parent.depth > 1 ? [`step of an undo ${outcome?.kind}`] : []),
  ];
}
