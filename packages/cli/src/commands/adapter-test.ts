import { existsSync } from "node:fs";
import { extname, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import type { TrialReport } from "@paraph/server";
import { CliError, interrupted, usageError } from "../cli-error.ts";
import type { Context } from "../context.ts";
import { type ExitCode, exitCode } from "../exit-code.ts";
import { findingText, trialEnd } from "../render/trial.ts";

export interface AdapterTestOptions {
  /** What was not asked fails too. */
  readonly check?: boolean;
  readonly crashes?: number;
}

/** Puts an adapter through its trial, in processes of its own. */
export async function adapterTest(
  context: Context,
  named: string,
  { check = false, crashes }: AdapterTestOptions,
): Promise<ExitCode> {
  const { output } = context;
  const file = resolve(context.folder, named);
  if (!existsSync(file)) throw usageError(`There is no file \`${named}\`.`);
  context.takeTime();
  const report = await tried(context, pathToFileURL(file).href, crashes);
  if (context.json) output.json(report);
  else output.data(trialEnd(report, output.paint));
  return report.failed > 0 || (check && report.notAsked > 0) ? exitCode.failed : exitCode.ok;
}

async function tried(
  { output, json, signal }: Context,
  trial: string,
  crashes: number | undefined,
): Promise<TrialReport> {
  const register = new URL(`../register-own-paraph${extname(import.meta.url)}`, import.meta.url);
  register.searchParams.set("entry", trial);
  let before: string | undefined;
  output.status(output.paintTalk("dim", "opening …"));
  try {
    // Here, as in the adapter's processes: the trial's outside is set up and looked at in this one.
    await import(register.href);
    const { runTrial } = await import("@paraph/server");
    return await runTrial(trial, {
      imports: [register.href],
      ...(crashes !== undefined && { crashes }),
      signal,
      begins: (subject, claim) => output.status(output.paintTalk("dim", `${subject}: ${claim} …`)),
      found: (finding) => {
        if (json) return;
        output.data(findingText(finding, before, output.paint));
        before = finding.subject;
      },
    });
  } catch (error) {
    if (signal.aborted) throw interrupted();
    const reason = error instanceof Error ? error.message : String(error);
    throw new CliError("trial-failed", `The trial cannot be run: ${reason}`, { cause: error });
  } finally {
    output.status("");
  }
}
