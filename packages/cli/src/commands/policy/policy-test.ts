import { globSync } from "node:fs";
import { usageError } from "../../lib/cli-error.ts";
import type { Context } from "../../lib/context.ts";
import { type ExitCode, exitCode } from "../../lib/exit-code.ts";
import { readTextFile } from "../../lib/read-text-file.ts";
import { formatCases } from "../../lib/render/policy/policy-cases.ts";
import { openPolicyWorkbench } from "./policy-workbench.ts";

const defaultPattern = "policies/*.test.yaml";

/** Runs the test cases against the policies of this folder. The exit code is 1 if a case fails. */
export async function testPolicy(context: Context, files: readonly string[]): Promise<ExitCode> {
  const { output, folder } = context;
  const names = files.length > 0 ? files : globSync(defaultPattern, { cwd: folder });
  if (names.length === 0) throw usageError(`There are no policy cases. Write some in \`${defaultPattern}\`.`);
  const texts = await Promise.all(names.toSorted().map((file) => readCaseFile(folder, file)));
  const result = (await openPolicyWorkbench(folder)).test(texts);
  if (context.json) output.json(result);
  else output.data(formatCases(result, output.paint));
  return result.passed ? exitCode.ok : exitCode.failed;
}

async function readCaseFile(folder: string, file: string): Promise<{ file: string; text: string }> {
  return { file, text: await readTextFile(folder, file) };
}
