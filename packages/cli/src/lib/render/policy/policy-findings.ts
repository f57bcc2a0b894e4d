import { escapeInvisible } from "@paraph/core/escape-invisible";
import type { LintFinding } from "@paraph/server";
import type { Paint } from "../../terminal/output.ts";
import { wrapToWidth } from "../../terminal/width.ts";

/** Formats each finding with its location, and with its explanation below. Editors and CI understand this form. */
export function formatFindings(findings: readonly LintFinding[], paint: Paint): string {
  const errors = findings.filter(({ weight }) => weight === "error").length;
  const count = (number: number, word: string) => `${number} ${word}${number === 1 ? "" : "s"}`;
  return [
    ...findings.map((finding) => formatFinding(finding, paint)),
    "",
    `${paint(errors > 0 ? "red" : "dim", count(errors, "error"))}, ${count(findings.length - errors, "warning")}`,
  ].join("\n");
}

function formatFinding({ file, line, weight, sentence }: LintFinding, paint: Paint): string {
  const place = escapeInvisible(line === undefined ? file : `${file}:${line}`);
  const mark = weight === "error" ? paint("red", "error") : paint("yellow", "warning");
  const text = wrapToWidth(escapeInvisible(sentence), paint.width && paint.width - 2).map(
    (each) => `  ${each}`,
  );
  return [`${place}  ${mark}`, ...text].join("\n");
}
