import type { Context } from "../../../lib/context.ts";
import { type ExitCode, exitCode } from "../../../lib/exit-code.ts";
import { printChecks } from "./print-checks.ts";
import { runProductionChecks } from "./production-checks.ts";
import { type ProductionOptions, readProductionFacts } from "./production-facts.ts";

/** Checks an installation of `paraph start` from this host, and prints a fix for each problem. */
export async function runProductionDoctor(context: Context, options: ProductionOptions): Promise<ExitCode> {
  const { output } = context;
  output.status(output.paintInfo("dim", "checking …"));
  const checks = runProductionChecks(await readProductionFacts(context, options));
  output.status("");
  if (context.json) output.json({ checks });
  else printChecks(checks, output);
  return checks.some(({ state }) => state === "fail") ? exitCode.failed : exitCode.ok;
}
