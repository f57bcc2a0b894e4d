import { escapeInvisible } from "@paraph/core/escape-invisible";
import type { PolicyTestResult } from "@paraph/server";
import type { Paint } from "../../terminal/output.ts";
import { wrapToWidth } from "../../terminal/width.ts";

/** Formats the cases by file, then the policies without a case. */
export function formatCases({ cases, faults, uncovered }: PolicyTestResult, paint: Paint): string {
  const failed = cases.filter(({ passed }) => !passed);
  const files = [...Map.groupBy(cases, ({ file }) => file)];
  const summary = [
    `${cases.length - failed.length} passed`,
    ...(failed.length > 0 ? [paint("red", `${failed.length} failed`)] : []),
    ...(faults.length > 0 ? [paint("red", `${faults.length} not readable`)] : []),
  ].join(", ");
  return [
    ...faults.map(({ file, line, sentence }) => formatFault(`${file}:${line ?? 1}`, sentence, paint)),
    ...files.map(([file, ofFile]) => formatCaseFile(file, ofFile, paint)),
    "",
    `${paint(["bold", failed.length + faults.length > 0 ? "red" : "green"], "cases")}  ${summary}`,
    ...(cases.length > 0 ? [formatCoverage(uncovered, paint)] : []),
  ].join("\n");
}

function formatCaseFile(file: string, cases: PolicyTestResult["cases"], paint: Paint): string {
  const failed = cases.filter(({ passed }) => !passed);
  const mark = failed.length === 0 ? paint("green", "✔") : paint("red", "✘");
  const count = `${cases.length} ${cases.length === 1 ? "case" : "cases"}`;
  return [
    `${mark} ${escapeInvisible(file)}  ${paint("dim", count)}`,
    ...failed.flatMap(({ name, line, faults }) => [
      `  ${paint("red", "✘")} ${paint("dim", escapeInvisible(`${file}:${line}`))}`,
      ...indentText(escapeInvisible(name), paint).map((each) => paint("bold", each)),
      ...faults.flatMap((fault) => indentText(escapeInvisible(fault), paint)),
    ]),
  ].join("\n");
}

function formatFault(place: string, sentence: string, paint: Paint): string {
  return [
    `${paint("red", "✘")} ${escapeInvisible(place)}`,
    ...indentText(escapeInvisible(sentence), paint),
  ].join("\n");
}

function indentText(text: string, paint: Paint): string[] {
  return wrapToWidth(text, paint.width && paint.width - 6).map((line) => `      ${line}`);
}

/** Formats the coverage. Policies of the preset are only counted, because the user does not maintain them. */
function formatCoverage(uncovered: PolicyTestResult["uncovered"], paint: Paint): string {
  const own = uncovered.filter(({ preset }) => !preset);
  const others = uncovered.length - own.length;
  const said = own.length === 0 ? "all of your policies" : `no case for ${own.length} of your policies:`;
  const preset = others === 0 ? [] : [`       (no case for ${others} of the preset's policies)`];
  return [
    `${paint(["bold", own.length > 0 ? "yellow" : "green"], "cover")}  ${said}`,
    ...own.map(
      ({ id, file, line }) =>
        `       ${escapeInvisible(id)}  ${paint("dim", escapeInvisible(`${file}:${line}`))}`,
    ),
    ...(own.length === 0 ? [] : preset.map((line) => paint("dim", line))),
  ].join("\n");
}
