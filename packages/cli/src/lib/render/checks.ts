import type { CheckResult } from "@paraph/core";
import { escapeInvisible } from "@paraph/core/escape-invisible";
import type { Paint } from "../terminal/output.ts";
import { formatQuotedLine } from "./changes.ts";

/** Formats each check with its result. Findings start with a bar, because they can quote foreign text. */
export function formatChecks(checks: readonly CheckResult[], paint: Paint): string[] {
  if (checks.length === 0) return [];
  return [`  ${paint("bold", "checks")}`, ...checks.flatMap((result) => formatCheck(result, paint)), ""];
}

function formatCheck({ check, passed, error, score, findings }: CheckResult, paint: Paint): string[] {
  const ended = error ? "could not be run" : passed ? "passed" : "did not pass";
  const points = score === undefined ? "" : ` (${score} of 100)`;
  return [
    `  ${paint(passed && !error ? "green" : "red", `${escapeInvisible(check)} ${ended}`)}${points}`,
    ...findings.map(({ code, path, sentence }) => {
      const place = path === undefined ? "" : ` at ${escapeInvisible(path)}`;
      return formatQuotedLine(`${escapeInvisible(sentence)} (${escapeInvisible(code)}${place})`, paint);
    }),
  ];
}
