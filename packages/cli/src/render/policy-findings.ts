import { escapeInvisible } from "@paraph/core/escape-invisible";
import type { LintFinding } from "@paraph/server";
import type { Paint } from "../output.ts";
import { foldTo } from "../width.ts";

/** Each finding at its place, as editors and CI understand it, and what it means below. */
export function findingsText(findings: readonly LintFinding[], paint: Paint): string {
  const errors = findings.filter(({ weight }) => weight === "error").length;
  const count = (number: number, word: string) => `${number} ${word}${number === 1 ? "" : "s"}`;
  return [
    ...findings.map((finding) => findingText(finding, paint)),
    "",
    `${paint(errors > 0 ? "red" : "dim", count(errors, "error"))}, ${count(findings.length - errors, "warning")}`,
  ].join("\n");
}

function findingText({ file, line, weight, sentence }: LintFinding, paint: Paint): string {
  const place = escapeInvisible(line === undefined ? file : `${file}:${line}`);
  const mark = weight === "error" ? paint("red", "error") : paint("yellow", "warning");
  const text = foldTo(escapeInvisible(sentence), paint.width && paint.width - 2).map((each) => `  ${each}`);
  return [`${place}  ${mark}`, ...text].join("\n");
}
