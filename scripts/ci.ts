// Runs every check that must pass before a change lands, in the order that fails fastest. Prints `N passed, N failed`.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";

interface CiStage {
  readonly title: string;
  readonly command: readonly string[];
  readonly env?: Record<string, string>;
  /** Whether to count each test of the stage. Other stages count as one. */
  readonly vitest?: true;
  /** Whether the stage runs beside another one. It mostly waits for its servers, so one stage leaves a core idle. */
  readonly isParallel?: true;
}

/** A stage that hangs fails, so that the other stages still run. A working stage takes less than half of this time. */
const maxStageMinutes = 40;

/**
 * CI uses the same samples each time. `npm run lab -- search` finds new ones and keeps those that fail in `lab/cases/`.
 */
const seed = "20261115";

const createLabStage = (name: string, ...args: string[]): CiStage => ({
  title: ["laboratory:", name, ...args].join(" "),
  command: ["npm", "run", "--silent", "lab", "--", name, "--quick", "--check", "--seed", seed, ...args],
  isParallel: true,
});
/** Runs the experiment on both engines. */
const createEngineStages = (name: string): CiStage[] =>
  ["postgres", "restate"].map((engine) => createLabStage(name, "--engine", engine));
const createBenchStage = (name: string, engine: string): CiStage => ({
  title: `benchmark: ${name} --engine ${engine}`,
  command: ["npm", "run", "--silent", "bench", "--", name, "--quick", "--check", "--engine", engine],
});

const stages: readonly CiStage[] = [
  { title: "types, lint, unused code", command: ["npm", "run", "--silent", "check"] },
  { title: "build", command: ["npm", "run", "--silent", "build"] },
  { title: "packages fit to publish", command: ["npm", "run", "--silent", "check:packages"] },
  // Core's tests run only here, because this stage fails if they run less than 95 % of core.
  {
    title: "tests of core, with coverage",
    command: ["npm", "run", "--silent", "coverage", "--"],
    vitest: true,
  },
  {
    title: "tests",
    command: ["npx", "vitest", "run", "--project", "system", "--project", "isolated"],
    vitest: true,
  },
  // The longest stages start first, so that both lanes end at about the same time.
  createLabStage("injection"),
  ...["storm", "crash-points"].flatMap(createEngineStages),
  createLabStage("freeze"),
  createLabStage("channels"),
  {
    title: "packed tarballs and the README's commands",
    command: ["npx", "vitest", "run", "test/packed.test.ts"],
    env: { PARAPH_TEST_PACKED: "1" },
    vitest: true,
    isParallel: true,
  },
  {
    title: "site",
    command: ["npx", "vitest", "run", "test/docs/site.test.ts"],
    env: { PARAPH_TEST_SITE: "1" },
    vitest: true,
    isParallel: true,
  },
  ...["effects", "limits", "mutations"].map((name) => createLabStage(name)),
  ...["clock", "locks"].flatMap(createEngineStages),
  {
    title: "tests with the engine forced to replay at every await",
    command: ["npx", "vitest", "run", "test/approval.test.ts"],
    env: { PARAPH_TEST_REPLAY: "1" },
    vitest: true,
    isParallel: true,
  },
  createLabStage("cases"),
  ...["postgres", "restate"].map((engine) => createBenchStage("call", engine)),
];

interface StageResult {
  readonly passed: number;
  readonly failed: number;
  /** The errors of the stage, for readers who see only the end of a long log. */
  readonly trouble?: string;
}

const folder = mkdtempSync(join(tmpdir(), "paraph-ci-"));
/** Node keeps compiled modules here. Tests and laboratories start many processes, which then load in half of the time. */
const compiledModules = join(folder, "modules");
const results: (StageResult & { readonly title: string })[] = [];
const firstParallel = stages.findIndex(({ isParallel }) => isParallel);
const afterParallel = stages.findLastIndex(({ isParallel }) => isParallel) + 1;
await runInOrder(stages.slice(0, firstParallel).values());
const parallel = stages.slice(firstParallel, afterParallel).values();
await Promise.all([runInOrder(parallel), runInOrder(parallel)]);
await runInOrder(stages.slice(afterParallel).values());
rmSync(folder, { recursive: true });
for (const { title, trouble } of results) {
  if (trouble) console.log(`\n── failed: ${title}\n${trouble}`);
}
const failed = results.reduce((sum, result) => sum + result.failed, 0);
console.log(`\n${results.reduce((sum, result) => sum + result.passed, 0)} passed, ${failed} failed`);
process.exitCode = failed > 0 ? 1 : 0;

/** Runs the stages that the iterator yields, one after the other. Two callers can share an iterator. */
async function runInOrder(queue: Iterable<CiStage>): Promise<void> {
  for (const stage of queue) {
    const started = performance.now();
    console.log(`\n── ${stage.title}`);
    const result = await runStage(stage, join(folder, `${stages.indexOf(stage)}.json`));
    results.push({ title: stage.title, ...result });
    console.log(
      `── ${stage.title}: ${result.passed} passed, ${result.failed} failed, ${Math.round((performance.now() - started) / 1_000)} s`,
    );
  }
}

async function runStage({ command, env, vitest, isParallel }: CiStage, report: string): Promise<StageResult> {
  const reporters = vitest ? ["--reporter=default", "--reporter=json", `--outputFile.json=${report}`] : [];
  const [program = "", ...args] = [...command, ...reporters];
  const child = spawn(program, args, {
    stdio: ["inherit", "pipe", "pipe"],
    env: { ...process.env, NODE_COMPILE_CACHE: compiledModules, PARAPH_TEST_BUILT: "1", ...env },
    detached: true,
  });
  const end = createTail();
  const output: Buffer[] = [];
  for (const stream of [child.stdout, child.stderr]) {
    stream.on("data", (chunk: Buffer) => {
      // The output of two stages is not mixed, so a parallel stage prints its output when it ends.
      if (isParallel) output.push(chunk);
      else process.stdout.write(chunk);
      end.push(chunk);
    });
  }
  const stop = setTimeout(() => {
    end.push(Buffer.from(`── stopped: it had not ended after ${maxStageMinutes} minutes\n`));
    process.kill(-child.pid!, "SIGKILL");
  }, maxStageMinutes * 60_000);
  // Waits for `exit`, not for `close`, because a leftover process would keep the pipe open. The tests check for
  // leftover processes.
  const [status] = await once(child, "exit");
  clearTimeout(stop);
  process.stdout.write(Buffer.concat(output));
  if (vitest) return countTests(report, status === 0, end.text());
  return status === 0 ? { passed: 1, failed: 0 } : { passed: 0, failed: 1, trouble: end.text() };
}

/** Counts at least one failure for a stage that failed outside any test or left no report. */
function countTests(report: string, ended: boolean, end: string): StageResult {
  try {
    const { numPassedTests, numFailedTests, testResults } = JSON.parse(readFileSync(report, "utf8"));
    if (ended) return { passed: numPassedTests, failed: 0 };
    return {
      passed: numPassedTests,
      failed: Math.max(1, numFailedTests),
      trouble: numFailedTests > 0 ? formatFailures(testResults) : end,
    };
  } catch {
    return { passed: 0, failed: 1, trouble: end };
  }
}

interface FileReport {
  readonly name: string;
  readonly assertionResults: readonly {
    readonly status: string;
    readonly fullName: string;
    readonly failureMessages?: readonly string[];
  }[];
}

function formatFailures(files: readonly FileReport[]): string {
  return files
    .flatMap(({ name, assertionResults }) =>
      assertionResults
        .filter(({ status }) => status === "failed")
        .map(
          ({ fullName, failureMessages = [] }) =>
            `${relative(process.cwd(), name)} > ${fullName}\n${failureMessages.join("\n").slice(0, 2_000)}`,
        ),
    )
    .join("\n\n");
}

/** Keeps the last few thousand bytes of its input. */
function createTail(limit = 4_000) {
  let kept = Buffer.alloc(0);
  return {
    push(chunk: Buffer) {
      kept = Buffer.concat([kept, chunk]).subarray(-limit);
    },
    text: () => kept.toString("utf8"),
  };
}
