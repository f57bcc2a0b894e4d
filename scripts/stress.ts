// `npm run test:stress [-- --times N] [--loops N] [files…]` runs the tests several times beside busy loops. A test that
// fails only in some runs is flaky, which is a bug of the test.
import { spawn, spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { parseArgs } from "node:util";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    times: { type: "string", default: "3" },
    loops: { type: "string", default: "2" },
    json: { type: "boolean", default: false },
  },
});
const times = parseWholeNumber("times", values.times, 1);
// A loop ends with its parent, even if the parent was killed.
const busyLoop =
  "const parent = process.ppid; while (process.ppid === parent) for (let n = 0; n < 1e8; n += 1);";
const loops = Array.from({ length: parseWholeNumber("loops", values.loops, 0) }, () =>
  spawn(process.execPath, ["-e", busyLoop], { stdio: "ignore" }),
);
const folder = mkdtempSync(join(tmpdir(), "paraph-stress-"));
const failures = new Map<string, number>();
let unfinished = 0;
try {
  for (let run = 1; run <= times; run += 1) {
    console.error(`run ${run} of ${times}, beside ${loops.length} busy loops`);
    const report = join(folder, `${run}.json`);
    const reporters = ["--reporter=dot", "--reporter=json", `--outputFile.json=${report}`];
    const { status } = spawnSync("npx", ["vitest", "run", ...positionals, ...reporters], {
      stdio: ["ignore", "inherit", "inherit"],
    });
    const names = listFailedTests(report);
    // The run found no test, crashed, or had an error outside all tests.
    if (status !== 0 && names.length === 0) unfinished += 1;
    for (const name of new Set(names)) failures.set(name, (failures.get(name) ?? 0) + 1);
  }
} finally {
  for (const loop of loops) loop.kill("SIGKILL");
  rmSync(folder, { recursive: true });
}
const failed = [...failures].map(([test, count]) => ({ test, failed: count, runs: times }));
if (values.json) console.log(JSON.stringify({ runs: times, unfinished, failed }));
else for (const { test, failed: count } of failed) console.log(`failed ${count} of ${times}: ${test}`);
console.error(`${times - unfinished} runs finished, ${failed.length} tests failed at least once`);
process.exitCode = failed.length > 0 || unfinished > 0 ? 1 : 0;

function listFailedTests(report: string): string[] {
  try {
    const { testResults } = JSON.parse(readFileSync(report, "utf8")) as {
      testResults: {
        name: string;
        status: string;
        assertionResults: { fullName: string; status: string }[];
      }[];
    };
    return testResults.flatMap(({ name, status, assertionResults }) => {
      const tests = assertionResults
        .filter((test) => test.status === "failed")
        .map((test) => `${relative(process.cwd(), name)} › ${test.fullName}`);
      // A file can fail outside its tests, while it loads or because it left a process behind.
      return status === "failed" && tests.length === 0 ? [relative(process.cwd(), name)] : tests;
    });
  } catch {
    return [];
  }
}

function parseWholeNumber(option: string, text: string, least: number): number {
  const number = Number(text);
  if (Number.isSafeInteger(number) && number >= least) return number;
  console.error(`\`--${option}\` takes a whole number from ${least} on, not \`${text}\`.`);
  process.exit(2);
}
