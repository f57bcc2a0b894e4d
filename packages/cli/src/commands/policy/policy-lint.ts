import type { Context } from "../../lib/context.ts";
import { type ExitCode, exitCode } from "../../lib/exit-code.ts";
import { formatFindings } from "../../lib/render/policy/policy-findings.ts";
import { countPeople } from "./count-people.ts";
import { openPolicyWorkbench } from "./policy-workbench.ts";

/**
 * Reports faults in the policies of this folder, and policies that have no effect. The exit code is 1 if there is an
 * error.
 */
export async function lintPolicy(context: Context): Promise<ExitCode> {
  const { output } = context;
  const people = await countPeople(context);
  const findings = (await openPolicyWorkbench(context.folder)).lint(people);
  if (context.json) output.json({ findings, groups: people !== undefined });
  else if (findings.length === 0) output.info("No problems found.");
  else output.data(formatFindings(findings, output.paint));
  if (!people && !context.json)
    output.info(
      output.paintInfo("dim", "The number of approvers was not checked, because no server is available."),
    );
  return findings.some(({ weight }) => weight === "error") ? exitCode.failed : exitCode.ok;
}
