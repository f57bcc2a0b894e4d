import type { Context } from "../../lib/context.ts";
import { type ExitCode, exitCode } from "../../lib/exit-code.ts";
import { padToWidth } from "../../lib/terminal/width.ts";
import { runDoctorChecks } from "./checks.ts";

const marks = { ok: ["green", "✔"], warn: ["yellow", "!"], fail: ["red", "✘"] } as const;
/** The space before the text of a check. */
const indent = " ".repeat(16);

/** Runs all checks and prints a fix for each problem. */
export async function runDoctor(context: Context): Promise<ExitCode> {
  const { output } = context;
  const { paint } = output;
  output.status(output.paintInfo("dim", "checking …"));
  const found = await runDoctorChecks(context);
  output.status("");
  if (context.json) output.json({ checks: found });
  else {
    for (const { name, state, message, advice } of found) {
      const [style, mark] = marks[state];
      const text = message.trimEnd().replaceAll("\n", `\n${indent}`);
      output.data(`${paint(style, mark)} ${padToWidth(name, indent.length - 2)}${text}`);
      if (advice !== undefined) output.data(`${indent}${paint("dim", `→ ${advice}`)}`);
    }
  }
  return found.some(({ state }) => state === "fail") ? exitCode.failed : exitCode.ok;
}
