import type { Violation } from "../history/checker.ts";
import type { LabOptions, LabResult } from "../lab.ts";
import { runSearchTrial } from "../search/run-trial.ts";
import { readCases } from "./case.ts";

/** Repeats every kept case. None may break a rule a second time. */
export async function runKeptCases(options: LabOptions): Promise<LabResult> {
  const startedAt = Date.now();
  const violations: Violation[] = [];
  const all = await readCases();
  for (const [index, { file, kept }] of all.entries()) {
    options.progress(`${index + 1}/${all.length} ${file}`);
    const tried = await runSearchTrial(kept);
    violations.push(
      ...tried.violations.map((violation) => ({ ...violation, what: `${file}: ${violation.what}` })),
    );
  }
  return {
    run: "cases",
    seed: options.seed,
    violations,
    timelines: {},
    covers: [`${all.length} kept samples that once broke a rule, tried again.`],
    figures: { cases: all.length, seconds: Math.round((Date.now() - startedAt) / 1_000) },
  };
}
