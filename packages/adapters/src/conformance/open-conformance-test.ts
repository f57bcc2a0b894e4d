import { mkdir, mkdtemp, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ParaphError } from "@paraph/core";
import { adapterVerifications } from "./adapter-verifications/index.ts";
import { CaseContext } from "./case-context.ts";
import type { ConformanceTest, Fixture } from "./conformance-test.ts";
import { loadConformanceTest } from "./load-conformance-test.ts";
import { ProcessPool, requireOpened } from "./process-pool.ts";
import type { SuiteContext } from "./suite-context.ts";
import { fail, skip, type Verdict } from "./verdict.ts";
import type { Verification } from "./verification.ts";
import { verifications } from "./verifications/index.ts";

/** The options for opening a conformance test. */
export interface ConformanceOptions {
  /** The URLs of the modules that each adapter process loads before its main module. */
  readonly imports?: readonly string[];
  /** The number of times that the suite kills a process in each case (default: 8). A case may override it. */
  readonly crashes?: number;
  /**
   * The time in which an attempt and all its children must stop after its deadline (default: 2 s). A case may override
   * it.
   */
  readonly graceMs?: number;
}

/** A conformance test whose fixture is prepared and whose adapter is open. */
export interface OpenConformanceTest {
  readonly name: string;
  readonly subjects: readonly TestSubject[];
  close(): Promise<void>;
}

/** The subject of verifications: the adapter as a whole, or one case. */
export interface TestSubject {
  readonly name: string;
  readonly steps: readonly TestStep[];
}

export interface TestStep extends Pick<Verification<never>, "name" | "rule" | "claim"> {
  verify(): Promise<Verdict>;
}

/**
 * Prepares the fixture and opens the adapter in a child process. `url` is the module that exports the conformance test.
 */
export async function openConformanceTest(
  url: string,
  { imports = [], crashes = 8, graceMs = 2_000 }: ConformanceOptions = {},
): Promise<OpenConformanceTest> {
  const test = await loadConformanceTest(url);
  const base = await realpath(await mkdtemp(join(tmpdir(), "paraph-conformance-")));
  const letGo: (() => Promise<void>)[] = [() => rm(base, { recursive: true, force: true })];
  const close = async () => {
    for (const one of letGo.splice(0).reverse()) await one();
  };
  try {
    const [folder, cache] = [join(base, "ground"), join(base, "compiled")];
    await mkdir(folder);
    const fixture: Fixture = { ...(await test.prepare?.({ folder })), folder };
    letGo.push(async () => test.cleanup?.(fixture));
    const pool = new ProcessPool({ testUrl: url, fixture, imports, cache });
    letGo.push(() => pool.close());
    await test.reset(fixture);
    const context = await createSuiteContext(test, fixture, pool, { crashes, graceMs });
    return { name: test.name, subjects: listSubjects(context), close };
  } catch (error) {
    await close();
    throw error;
  }
}

async function createSuiteContext(
  test: ConformanceTest,
  fixture: Fixture,
  pool: ProcessPool,
  limits: Pick<CaseContext, "crashes" | "graceMs">,
): Promise<SuiteContext> {
  const opened = await requireOpened(await pool.main());
  const benches = test.cases.map((one, index) => {
    const offer = opened.offers.find(({ contract }) => contract.name === one.capability);
    if (offer)
      return new CaseContext(test, index, {
        offer,
        offered: opened.offers,
        fixture,
        pool,
        ...limits,
      });
    throw new ParaphError(
      "adapter-invalid",
      `The conformance test has a case for \`${one.capability}\`, which the adapter does not offer. Correct the name, or remove the case.`,
    );
  });
  return { test, fixture, pool, adapter: opened, cases: benches };
}

function listSubjects(context: SuiteContext): TestSubject[] {
  const whole = { name: context.test.name, steps: listSteps(adapterVerifications, context) };
  const cases = context.cases.map((bench) => {
    const { capability, title } = bench.case;
    const name = title === undefined ? capability : `${capability} (${title})`;
    return { name, steps: listSteps(verifications, bench) };
  });
  return [...cases, whole];
}

/**
 * Lists the verifications to run. A verification is skipped if its prerequisite failed, because the verdict could then
 * be wrong. For example, a preview that writes would make an undo seem incomplete.
 */
function listSteps<S>(all: readonly Verification<S>[], subject: S): TestStep[] {
  const failed = new Set<string>();
  return all
    .filter(({ appliesTo }) => appliesTo(subject))
    .map(({ name, rule, claim, after = [], verify }) => ({
      name,
      ...(rule !== undefined && { rule }),
      claim,
      async verify() {
        const first = after.find((earlier) => failed.has(earlier));
        if (first !== undefined) return skip(`Skipped because \`${first}\` failed.`);
        const verdict = await verify(subject).catch(toTestFailure);
        if (verdict.kind === "fail") failed.add(name);
        return verdict;
      },
    }));
}

/** Converts an error from the conformance test's own code to a failed verdict. */
function toTestFailure(error: unknown): Verdict {
  return fail(
    `The conformance test itself failed: ${error instanceof Error ? error.message : String(error)}`,
  );
}
