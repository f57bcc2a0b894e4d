import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Violation } from "../history/checker.ts";
import type { LabEngine, LabResult } from "../lab.ts";

/** One run of a search: an experiment of the laboratory, or the property tests with another seed. */
export interface SearchTrial {
  readonly experiment: string;
  readonly seed: number;
  readonly engine: LabEngine;
  /** The names of crash points, if the experiment has any. */
  readonly points?: readonly string[];
}

export interface TrialResult {
  readonly violations: readonly Violation[];
  readonly points?: LabResult["points"];
}

/** The maximum duration of a run. The search treats a longer run as hanging and reports a violation. */
const maxMinutes = 20;

/** The property tests. Each draws its sample from PARAPH_SEED. */
const propertyTests = [
  "packages/core",
  "packages/server/src/policy/cedar",
  "test/approvals.test.ts",
  "test/plans.test.ts",
];

/** The factor by which a search tries more samples than CI. CI repeats the same samples at each commit. */
const propertyRuns = "20";

/**
 * Runs the trial in its own process, so that a run that hangs or crashes becomes a violation and does not end the
 * search.
 */
export function runSearchTrial(trial: SearchTrial): Promise<TrialResult> {
  return trial.experiment === "properties" ? runPropertyTests(trial) : runExperiment(trial);
}

async function runExperiment({ experiment, seed, engine, points }: SearchTrial): Promise<TrialResult> {
  const folder = await mkdtemp(join(tmpdir(), "paraph-search-"));
  try {
    const file = join(folder, "points.json");
    if (points) await writeFile(file, JSON.stringify(points));
    const { output, problem } = await runNode(
      ["--conditions=paraph-source", "--no-warnings", "lab/main.ts", experiment, "--quick", "--json"].concat(
        ["--seed", String(seed), "--engine", engine],
        points ? ["--points", file] : [],
      ),
    );
    const line = output.trim().split("\n").at(-1) ?? "";
    if (!line.startsWith("{"))
      return { violations: [toRunViolation(experiment, problem ?? "it printed no result")] };
    const result = JSON.parse(line) as LabResult;
    return { violations: result.violations, ...(result.points && { points: result.points }) };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function runPropertyTests({ seed }: SearchTrial): Promise<TrialResult> {
  const folder = await mkdtemp(join(tmpdir(), "paraph-search-"));
  const report = join(folder, "report.json");
  try {
    const args = ["node_modules/vitest/vitest.mjs", "run", ...propertyTests];
    const { problem } = await runNode([...args, "--reporter=json", `--outputFile=${report}`], {
      PARAPH_SEED: String(seed),
      PARAPH_RUNS: propertyRuns,
    });
    if (problem === undefined) return { violations: [] };
    const { testResults } = JSON.parse(await readFile(report, "utf8")) as VitestReport;
    const failed = testResults.flatMap(({ assertionResults }) =>
      assertionResults.filter(({ status }) => status === "failed"),
    );
    const violations = failed.map(({ fullName, failureMessages }) => ({
      rule: "property",
      call: fullName,
      what: (failureMessages[0] ?? "").slice(0, 500),
    }));
    return { violations: violations.length > 0 ? violations : [toRunViolation("properties", problem)] };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

interface VitestReport {
  readonly testResults: readonly {
    readonly assertionResults: readonly {
      readonly fullName: string;
      readonly status: string;
      readonly failureMessages: readonly string[];
    }[];
  }[];
}

async function runNode(
  args: readonly string[],
  env: Record<string, string> = {},
): Promise<{ output: string; problem?: string }> {
  const child = spawn(process.execPath, args, {
    stdio: ["ignore", "pipe", "pipe"],
    env: { ...process.env, ...env },
    detached: true,
  });
  let output = "";
  let errors = "";
  child.stdout.on("data", (chunk) => {
    output += chunk;
  });
  child.stderr.on("data", (chunk) => {
    errors = `${errors}${chunk}`.slice(-2_000);
  });
  let hung = false;
  const limit = setTimeout(() => {
    hung = true;
    process.kill(-child.pid!, "SIGKILL");
  }, maxMinutes * 60_000);
  const [code] = await once(child, "close");
  clearTimeout(limit);
  if (hung) return { output, problem: `it had not ended after ${maxMinutes} minutes` };
  return code === 0 ? { output } : { output, problem: `it ended with ${code}: ${errors.trim().slice(-500)}` };
}

function toRunViolation(experiment: string, what: string): Violation {
  return { rule: "run", call: experiment, what };
}
