import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import type { NamedTest } from "./mutation.ts";

/** The result of a named test. A mutation counts as caught only if an assertion of this test failed. */
export type TestEnding =
  | { readonly kind: "passed" }
  | { readonly kind: "caught"; readonly said: string }
  /** The test did not run, or failed for another reason than its own assertion. */
  | { readonly kind: "broken"; readonly why: string };

interface VitestReport {
  readonly testResults: readonly {
    readonly name: string;
    readonly message?: string;
    readonly assertionResults: readonly {
      readonly title: string;
      readonly status: string;
      readonly failureMessages?: readonly string[] | null;
    }[];
  }[];
}

/** Returns the time limit of a run. The limit only stops runs that hang and is not a performance target. */
const maxRunMs = (tests: number) => 300_000 + tests * 30_000;

/**
 * Matches the message of a failed assertion. Vitest reports failed assertions of `poll`, `rejects` and `resolves` as
 * plain errors.
 */
const assertionPattern =
  /^(AssertionError: |Error: expected .* to |Error: promise (resolved|rejected) .* instead of (resolving|rejecting))/;

/**
 * Runs these tests in a copy of the workspace and returns their results in order. Vitest's filter may also select a few
 * other tests.
 */
export async function runNamedTests(folder: string, tests: readonly NamedTest[]): Promise<TestEnding[]> {
  const output = join(folder, "tests.json");
  await rm(output, { force: true });
  const files = [...new Set(tests.map(({ file }) => file))];
  const pattern = [...new Set(tests.map(({ title }) => escapePattern(title)))].join("|");
  const told = ["--reporter=json", `--outputFile=${output}`, "-t", `(${pattern})$`];
  const child = spawn(process.execPath, ["node_modules/vitest/vitest.mjs", "run", ...files, ...told], {
    cwd: folder,
    stdio: ["ignore", "ignore", "pipe"],
    timeout: maxRunMs(tests.length),
    // The copy has no build, and a build would not have the bug.
    env: { ...process.env, PARAPH_TEST_BUILT: undefined },
  });
  let errors = "";
  child.stderr.on("data", (chunk) => {
    errors += chunk;
  });
  await once(child, "close");
  const report = await readFile(output, "utf8").catch(() => undefined);
  if (report === undefined) return tests.map(() => ({ kind: "broken", why: `no report: ${errors.trim()}` }));
  return tests.map((test) => readEnding(test, JSON.parse(report) as VitestReport));
}

function readEnding({ file, title }: NamedTest, { testResults }: VitestReport): TestEnding {
  const suite = testResults.find(({ name }) => name.endsWith(`/${file}`));
  if (!suite) return { kind: "broken", why: `\`${file}\` did not run` };
  const ran = suite.assertionResults.filter((test) => test.title === title);
  const [test] = ran;
  if (!test || ran.length > 1)
    return { kind: "broken", why: `${ran.length} tests of this name: ${readFirstLine(suite.message)}` };
  if (test.status === "passed") return { kind: "passed" };
  const said = readFirstLine(test.failureMessages?.[0]);
  return test.status === "failed" && assertionPattern.test(said)
    ? { kind: "caught", said }
    : { kind: "broken", why: `${test.status}: ${said}` };
}

function escapePattern(title: string): string {
  return title.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&");
}

function readFirstLine(text = ""): string {
  return text.split("\n", 1)[0]!;
}
