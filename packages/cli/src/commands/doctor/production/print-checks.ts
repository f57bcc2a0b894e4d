import { formatCount } from "../../../lib/terminal/format-count.ts";
import type { CliOutput } from "../../../lib/terminal/output.ts";
import { padToWidth, wrapToWidth } from "../../../lib/terminal/width.ts";
import type { ProductionCheck } from "./production-check.ts";

/** The space for the subject before each line. */
const indent = " ".repeat(13);

/**
 * Prints the checks by subject. Passed checks share one line, and so do checks that were skipped for the same reason. A
 * problem has its own lines: the measurement, why it matters and what to do.
 */
export function printChecks(checks: readonly ProductionCheck[], { data, paint }: CliOutput): void {
  for (const [subject, group] of Map.groupBy(checks, (check) => check.subject)) {
    const blocks = [
      ...formatProblems(group, "fail", paint("red", "✘"), paint),
      ...formatProblems(group, "warn", paint("yellow", "!"), paint),
      ...formatPassed(group, paint),
      ...formatSkipped(group, paint),
    ];
    for (const [index, line] of blocks.entries())
      data(`${index === 0 ? paint("bold", padToWidth(subject, indent.length)) : indent}${line}`);
  }
  data(`\n${summarize(checks)}`);
}

type Paint = CliOutput["paint"];

function formatProblems(
  group: readonly ProductionCheck[],
  wanted: "warn" | "fail",
  mark: string,
  paint: Paint,
): string[] {
  return group
    .filter(({ state }) => state === wanted)
    .flatMap(({ name, message, why, advice }) => [
      ...wrap(`${name}: ${message}`, mark, paint),
      ...wrap(why, " ", paint, "dim"),
      ...wrap(`→ ${advice}`, " ", paint),
    ]);
}

function formatPassed(group: readonly ProductionCheck[], paint: Paint): string[] {
  const passed = group.filter(({ state }) => state === "ok");
  return passed.length === 0
    ? []
    : wrap(passed.map(({ message }) => message).join(" · "), paint("green", "✔"), paint, "dim");
}

function formatSkipped(group: readonly ProductionCheck[], paint: Paint): string[] {
  const left = group.filter(({ state }) => state === "skipped");
  return [...Map.groupBy(left, ({ message }) => message)].flatMap(([message, checks]) => [
    ...wrap(`${checks.map(({ name }) => name).join(", ")} skipped: ${message}`, "–", paint, "dim"),
    ...(checks[0]!.advice === undefined ? [] : wrap(`→ ${checks[0]!.advice}`, " ", paint, "dim")),
  ]);
}

/** Wraps a text beside its mark. Escapes come later, when the text reaches the terminal. */
function wrap(text: string, mark: string, paint: Paint, style?: "dim"): string[] {
  const width = paint.width === undefined ? undefined : paint.width - indent.length - 2;
  return text
    .split("\n")
    .flatMap((line) => wrapToWidth(line, width))
    .map(
      (line, index) => `${index === 0 ? mark : " "} ${style ? paint(style, line.trimEnd()) : line.trimEnd()}`,
    );
}

function summarize(checks: readonly ProductionCheck[]): string {
  const count = (wanted: ProductionCheck["state"]) => checks.filter(({ state }) => state === wanted).length;
  const parts = [
    `${count("ok")} ok`,
    formatCount(count("warn"), "warning"),
    `${count("fail")} failed`,
    `${count("skipped")} skipped`,
  ];
  return `${checks.length} checks: ${parts.join(", ")}`;
}
