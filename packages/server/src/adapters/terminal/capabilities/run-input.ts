import { isAbsolute, join } from "node:path";
import { CapabilityError, type ExecutionContext } from "@paraph/core";
import { escapeInvisible, escapeInvisibleJson } from "@paraph/core/escape-invisible";
import { z } from "zod";
import { normalizeOrKeep } from "../../normalize-text.ts";
import type { ProcessCommand } from "../../process/index.ts";
import type { TerminalContext } from "../context.ts";

/** A NUL or half a character could not be handed over as it was shown. */
const textInput = (most: number) =>
  z
    .string()
    .max(most)
    .refine((value) => value.isWellFormed() && !value.includes("\0"), "no NUL and no half characters");

/** What is asked for: a program with its arguments, never a line for a shell. */
export const runInput = z.strictObject({
  argv: z
    .array(textInput(100_000))
    .min(1)
    .max(1_000)
    .describe(
      "the program, then its arguments, each as it is: there is no shell that would split or expand them",
    ),
  cwd: textInput(4096)
    .overwrite(normalizeOrKeep((cwd) => parseFolder({ cwd })))
    .default("")
    .describe("a folder of the workspace, relative to it; the workspace unless said"),
  stdin: textInput(1_000_000)
    .optional()
    .describe("what it reads from its standard input; nothing unless said"),
});
export type RunInput = z.output<typeof runInput>;

/** What could lead out of the workspace is refused as text; that a link leads nowhere else is the sandbox's part. */
export function parseFolder({ cwd }: { readonly cwd: string }): string {
  const refuse = (message: string) => new CapabilityError("permanent", "path-outside-workspace", message);
  if (isAbsolute(cwd)) throw refuse("`cwd` is absolute: send a folder relative to the workspace.");
  const names = cwd.split("/").filter((name) => name !== "" && name !== ".");
  if (names.includes("..")) throw refuse("`cwd` has `..` in it: name the folder without.");
  return names.join("/");
}

/** The command, but for what only a run has: an environment with secrets, a place to write, a network. */
export function toProcessCommand(
  setting: TerminalContext,
  asked: RunInput,
  { signal }: Pick<ExecutionContext, "signal">,
) {
  const [program, ...args] = asked.argv as [string, ...string[]];
  const cwd = join(setting.workspace, parseFolder(asked));
  return {
    // A path is meant from where the program runs, as everywhere; a name is looked up as the runner does.
    binary: program.includes("/") && !isAbsolute(program) ? join(cwd, program) : program,
    args,
    cwd,
    ...(asked.stdin !== undefined && { stdin: asked.stdin }),
    signal,
    timeoutMs: setting.timeoutMs,
    maxOutputBytes,
    limits: setting.limits,
  } satisfies ProcessCommand;
}

export const maxOutputBytes = 256 * 1024;

/** Each argument in quotation marks, with nothing in it that could hide. */
export function formatArguments(argv: readonly string[]): string {
  return argv.map((argument) => escapeInvisibleJson(argument)).join(" ");
}

export function formatFolder(folder: string): string {
  return folder === "" ? "the workspace" : `\`${escapeInvisible(folder)}\``;
}
