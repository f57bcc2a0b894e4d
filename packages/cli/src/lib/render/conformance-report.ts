import type { ConformanceReport } from "@paraph/adapters/conformance";
import { escapeInvisible } from "@paraph/core/escape-invisible";
import type { Paint } from "../terminal/output.ts";
import { measureWidth, wrapToWidth } from "../terminal/width.ts";

const marks = { pass: ["green", "✔"], fail: ["red", "✘"], "not-asked": ["dim", "–"] } as const;
const indent = 4;

type Finding = ConformanceReport["findings"][number];

/** Formats one finding, with a heading if its subject differs from that of the previous finding. */
export function formatTestFinding(finding: Finding, before: string | undefined, paint: Paint): string {
  const heading = finding.subject === before ? [] : [paint("bold", escapeInvisible(finding.subject))];
  const gap = before === undefined || finding.subject === before ? [] : [""];
  return [...gap, ...heading, ...formatFindingLines(finding, paint)].join("\n");
}

/**
 * Formats a finding. If the finding passed and its message fits on the first line, the finding takes one line.
 * Otherwise the message follows on separate lines.
 */
function formatFindingLines({ kind, rule, claim, message }: Finding, paint: Paint): string[] {
  const [style, mark] = marks[kind];
  const rest = rule === undefined ? "" : paint("dim", ` [${rule}]`);
  const claimed = (kind === "not-asked" ? paint("dim", claim) : claim) + rest;
  const line = `  ${paint(style, mark)} ${claimed}`;
  const short = `${line} ${paint("dim", `· ${escapeInvisible(message)}`)}`;
  if (kind === "pass" && measureWidth(short) <= (paint.width ?? 110)) return [short];
  const width = paint.width === undefined ? undefined : paint.width - indent;
  const why = message.split("\n").flatMap((one) => wrapToWidth(escapeInvisible(one), width));
  return [line, ...why.map((one) => " ".repeat(indent) + paint(kind === "fail" ? "red" : "dim", one))];
}

export function formatTestSummary({ passed, failed, notAsked }: ConformanceReport, paint: Paint): string {
  const rest = notAsked === 0 ? "" : paint("dim", `, ${notAsked} skipped`);
  return failed === 0
    ? `\n${paint("green", "✔")} ${passed} passed${rest}`
    : `\n${paint("red", "✘")} ${paint("red", `${failed} failed`)}, ${passed} passed${rest}`;
}
