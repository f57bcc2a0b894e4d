import { existsSync } from "node:fs";
import { extname, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import type { ConformanceReport } from "@paraph/adapters/conformance";
import { CliError, interruptedError, usageError } from "../../lib/cli-error.ts";
import type { Context } from "../../lib/context.ts";
import { type ExitCode, exitCode } from "../../lib/exit-code.ts";
import { formatTestFinding, formatTestSummary } from "../../lib/render/conformance-report.ts";

export interface AdapterTestOptions {
  /** Whether skipped verifications count as failed. */
  readonly check?: boolean;
  readonly crashes?: number;
}

/** Runs the conformance test of an adapter, in separate processes. */
export async function testAdapter(
  context: Context,
  named: string,
  { check = false, crashes }: AdapterTestOptions,
): Promise<ExitCode> {
  const { output } = context;
  const file = resolve(context.folder, named);
  if (!existsSync(file)) throw usageError(`There is no file \`${named}\`.`);
  context.takeTime();
  const report = await runConformanceTest(context, pathToFileURL(file).href, crashes);
  if (context.json) output.json(report);
  else output.data(formatTestSummary(report, output.paint));
  return report.failed > 0 || (check && report.notAsked > 0) ? exitCode.failed : exitCode.ok;
}

async function runConformanceTest(
  { output, json, signal }: Context,
  test: string,
  crashes: number | undefined,
): Promise<ConformanceReport> {
  const register = new URL(
    `../../lib/config/register-own-paraph${extname(import.meta.url)}`,
    import.meta.url,
  );
  register.searchParams.set("entry", test);
  let before: string | undefined;
  output.status(output.paintInfo("dim", "opening …"));
  try {
    // Imports the loader in this process too, because this process prepares the fixture and takes the snapshots.
    await import(register.href);
    const { runConformanceTest } = await import("@paraph/adapters/conformance");
    return await runConformanceTest(test, {
      imports: [register.href],
      ...(crashes !== undefined && { crashes }),
      signal,
      onBegin: (subject, claim) => output.status(output.paintInfo("dim", `${subject}: ${claim} …`)),
      onFinding: (finding) => {
        if (json) return;
        output.data(formatTestFinding(finding, before, output.paint));
        before = finding.subject;
      },
    });
  } catch (error) {
    if (signal.aborted) throw interruptedError();
    const reason = error instanceof Error ? error.message : String(error);
    throw new CliError("conformance-test-failed", `The conformance test could not run: ${reason}`, {
      cause: error,
    });
  } finally {
    output.status("");
  }
}
