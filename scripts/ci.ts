// Everything that must hold before a change lands, in the order that fails fastest. Prints `N passed, N failed`.
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

interface Stage {
  readonly title: string;
  readonly command: readonly string[];
  readonly env?: Record<string, string>;
  /** Vitest stages are counted by test, others as one. */
  readonly vitest?: true;
  /** Unless it says otherwise: see `stageMinutes`. */
  readonly minutes?: number;
}

/** A stage that hangs is a failed stage: it must not take the others with it. */
const stageMinutes = 12;

/** A sample that changes with every commit, and is the same whenever that commit is tried again. */
const seed = String(
  Number.parseInt(spawnSync("git", ["rev-parse", "HEAD"], { encoding: "utf8" }).stdout.slice(0, 7), 16) || 1,
);
const lab = (name: string) => [
  "npm",
  "run",
  "--silent",
  "lab",
  "--",
  name,
  "--quick",
  "--check",
  "--seed",
  seed,
];

const stages: readonly Stage[] = [
  { title: "types, lint, unused code", command: ["npm", "run", "--silent", "check"] },
  { title: "build", command: ["npm", "run", "--silent", "build"] },
  { title: "tests", command: ["npx", "vitest", "run"], vitest: true, minutes: 20 },
  {
    title: "tests with the engine forced to replay at every await",
    command: ["npx", "vitest", "run", "test/crash.test.ts", "test/approval.test.ts"],
    env: { PARAPH_TEST_REPLAY: "1" },
    vitest: true,
  },
  {
    title: "packed tarballs and the README's commands",
    command: ["npx", "vitest", "run", "test/packed.test.ts"],
    env: { PARAPH_TEST_PACKED: "1" },
    vitest: true,
  },
  { title: "laboratory: crash points, a sample", command: lab("crash-points") },
  { title: "laboratory: crash points with git, SQL and tools as the effect", command: lab("effects") },
  { title: "laboratory: hostile values", command: lab("injection") },
  { title: "laboratory: a short storm", command: lab("storm") },
  { title: "laboratory: one lock", command: lab("locks") },
  { title: "laboratory: the kill switch", command: lab("freeze") },
  { title: "laboratory: budgets and grants", command: lab("limits") },
  { title: "laboratory: the clock leaps", command: lab("clock") },
  { title: "laboratory: planted bugs, a few", command: lab("planted") },
  {
    title: "bench: every variant runs, ratios by half",
    command: ["npm", "run", "--silent", "bench", "--", "call", "--quick", "--check"],
  },
  {
    title: "bench: 20,000 approvals waiting, lists and decisions",
    command: ["npm", "run", "--silent", "bench", "--", "approvals", "--quick", "--check"],
  },
  {
    title: "bench: a step of a long plan costs what one of a short plan does",
    command: ["npm", "run", "--silent", "bench", "--", "plan", "--quick", "--check"],
  },
  {
    title: "bench: a thousand capabilities cost what ten do",
    command: ["npm", "run", "--silent", "bench", "--", "capabilities", "--quick", "--check"],
  },
  {
    // Its p99 needs a quiet machine, so the figures are shown here and judged by hand.
    title: "bench: policy",
    command: ["npm", "run", "--silent", "bench", "--", "policy", "--quick"],
  },
];

const folder = mkdtempSync(join(tmpdir(), "paraph-ci-"));
const total = { passed: 0, failed: 0 };
for (const [index, stage] of stages.entries()) {
  const started = performance.now();
  console.log(`\n── ${stage.title}`);
  const counted = await run(stage, join(folder, `${index}.json`));
  total.passed += counted.passed;
  total.failed += counted.failed;
  console.log(
    `── ${stage.title}: ${counted.passed} passed, ${counted.failed} failed, ${Math.round((performance.now() - started) / 1_000)} s`,
  );
}
rmSync(folder, { recursive: true });
console.log(`\n${total.passed} passed, ${total.failed} failed`);
process.exitCode = total.failed > 0 ? 1 : 0;

async function run(
  { command, env, vitest, minutes = stageMinutes }: Stage,
  report: string,
): Promise<{ passed: number; failed: number }> {
  const reporters = vitest ? ["--reporter=default", "--reporter=json", `--outputFile.json=${report}`] : [];
  const [program = "", ...args] = [...command, ...reporters];
  const child = spawn(program, args, {
    stdio: "inherit",
    env: { ...process.env, ...env },
    detached: true,
  });
  const stop = setTimeout(() => {
    console.log(`── not done after ${minutes} minutes: stopped`);
    process.kill(-child.pid!, "SIGKILL");
  }, minutes * 60_000);
  const [status] = await once(child, "exit");
  clearTimeout(stop);
  if (!vitest) return status === 0 ? { passed: 1, failed: 0 } : { passed: 0, failed: 1 };
  return countTests(report, status === 0);
}

/** A stage that failed outside of any test, or left no report, still counts as a failure. */
function countTests(report: string, ended: boolean): { passed: number; failed: number } {
  try {
    const { numPassedTests, numFailedTests } = JSON.parse(readFileSync(report, "utf8"));
    return { passed: numPassedTests, failed: ended ? 0 : Math.max(1, numFailedTests) };
  } catch {
    return { passed: 0, failed: 1 };
  }
}
