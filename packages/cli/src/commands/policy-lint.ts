import type { Context } from "../context.ts";
import { type ExitCode, exitCode } from "../exit-code.ts";
import { peopleByGroup } from "../people-by-group.ts";
import { workbenchOf } from "../policy-workbench.ts";
import { findingsText } from "../render/policy-findings.ts";

/** What is wrong or in vain in the policies of this folder. Exit 1 if any of it is an error. */
export async function policyLint(context: Context): Promise<ExitCode> {
  const { output } = context;
  const groups = await peopleByGroup(context);
  const findings = (await workbenchOf(context.folder)).lint(groups);
  if (context.json) output.json({ findings, groups: groups !== undefined });
  else if (findings.length === 0) output.say("Nothing to find fault with.");
  else output.data(findingsText(findings, output.paint));
  if (!groups && !context.json)
    output.say(
      output.paintTalk("dim", "Whether groups have enough people was not looked at: no server says."),
    );
  return findings.some(({ weight }) => weight === "error") ? exitCode.failed : exitCode.ok;
}
