import { saveCase } from "../cases/case.ts";
import type { Violation } from "../history/checker.ts";
import { type LabEngine, type LabOptions, type LabResult, labEngines } from "../lab.ts";
import { toResultName } from "../published-experiments.ts";
import { createRandom } from "../random.ts";
import { openLedger, type SearchLedger, saveLedger } from "./ledger.ts";
import { runSearchTrial, type SearchTrial } from "./run-trial.ts";

/**
 * The experiments that draw a sample, in the order in which the search runs them. The crash-point experiment occurs
 * several times, because there are hundreds of points.
 */
const experiments = [
  ...["crash-points", "storm", "effects", "clock", "crash-points", "limits"],
  ...["freeze", "properties", "crash-points", "locks", "injection"],
];

/** The number of crash points that one run of the search tries. */
const pointsPerRun = 10;

/**
 * Tries new random samples until the minutes are over. It continues where the last search of this commit stopped, and
 * keeps each sample that breaks a rule as a case for CI (`lab/cases/`).
 */
export async function runSearch(options: LabOptions): Promise<LabResult> {
  const startedAt = Date.now();
  const minutes = options.minutes ?? 30;
  const ledger = await openLedger();
  const chance = createRandom(options.seed);
  const violations: Violation[] = [];
  const cases: string[] = [];
  let runs = 0;
  while (Date.now() - startedAt < minutes * 60_000) {
    const trial = drawTrial(ledger, chance);
    options.progress(
      `${trial.experiment} on ${trial.engine}, seed ${trial.seed}: ${cases.length} cases found so far`,
    );
    const tried = await runSearchTrial(trial);
    runs += 1;
    recordTrial(ledger, trial, tried.points);
    await saveLedger(ledger);
    if (tried.violations.length === 0) continue;
    violations.push(...tried.violations);
    cases.push(await saveCase({ ...trial, violations: tried.violations, commit: ledger.commit }));
  }
  const countTried = (engine: LabEngine) => {
    const name = toResultName("crash-points", engine);
    return `${ledger.tried[name]?.length ?? 0} of ${ledger.known[name]?.length ?? "unknown"} on ${engine}`;
  };
  return {
    run: "search",
    seed: options.seed,
    violations,
    timelines: {},
    covers: Object.entries(ledger.runs).map(([name, count]) => `${name}: ${count} runs of this commit.`),
    figures: {
      runs,
      ...Object.fromEntries(Object.entries(ledger.runs).map(([name, count]) => [`runs of ${name}`, count])),
      "crash points tried": labEngines.map(countTried).join(", "),
      "cases found": cases.join(", ") || "none",
      seconds: Math.round((Date.now() - startedAt) / 1_000),
    },
  };
}

function drawTrial(ledger: SearchLedger, chance: () => number): SearchTrial {
  const done = Object.values(ledger.runs).reduce((sum, count) => sum + count, 0);
  const experiment = experiments[done % experiments.length]!;
  // The engines take turns, one whole round each.
  const engine = labEngines[Math.floor(done / experiments.length) % labEngines.length]!;
  const seed = Math.floor(chance() * 1_000_000_000);
  const points = listUntriedPoints(ledger, toResultName(experiment, engine), chance);
  return { experiment, seed, engine, ...(points.length > 0 && { points }) };
}

/**
 * Returns crash points that no run of this commit has tried. Returns none while the points are unknown or all were
 * tried.
 */
function listUntriedPoints(ledger: SearchLedger, name: string, chance: () => number): string[] {
  const tried = new Set(ledger.tried[name]);
  const untried = (ledger.known[name] ?? []).filter((point) => !tried.has(point));
  return untried
    .map((point) => ({ point, order: chance() }))
    .toSorted((a, b) => a.order - b.order)
    .slice(0, pointsPerRun)
    .map(({ point }) => point);
}

function recordTrial(
  ledger: SearchLedger,
  { experiment, engine, points: asked = [] }: SearchTrial,
  points: LabResult["points"],
): void {
  const name = toResultName(experiment, engine);
  ledger.runs[name] = (ledger.runs[name] ?? 0) + 1;
  if (!points) return;
  ledger.known[name] = [...new Set([...(ledger.known[name] ?? []), ...points.known])];
  // A requested point that was not reached counts as tried, because some points occur only in a few runs.
  ledger.tried[name] = [...new Set([...(ledger.tried[name] ?? []), ...points.reached, ...asked])];
}
