import { isAbsolute, join } from "node:path";
import { CapabilityError, type ExecutionContext } from "@paraph/core";
import { escapeInvisible, escapeInvisibleJson } from "@paraph/core/escape-invisible";
import { z } from "zod";
import { normalizeOrKeep } from "../../normalize-text.ts";
import type { ProcessCommand } from "../../process/index.ts";
import type { TerminalContext } from "../context.ts";

/**
 * Returns the schema of a text without NUL and unpaired surrogates, because the program would not receive these
 * characters as the preview shows them.
 */
const textInput = (max: number) =>
  z
    .string()
    .max(max)
    .refine(
      (value) => value.isWellFormed() && !value.includes("\0"),
      "must not contain NUL or unpaired surrogates",
    );

/** The input of a run: a program with its arguments, never a command line for a shell. */
export const runInput = z.strictObject({
  argv: z
    .array(textInput(100_000))
    .min(1)
    .max(1_000)
    .describe("the program, then its arguments; no shell splits or expands them"),
  cwd: textInput(4096)
    .overwrite(normalizeOrKeep((cwd) => parseFolder({ cwd })))
    .default("")
    .describe("a folder of the workspace, as a relative path (default: the workspace)"),
  stdin: textInput(1_000_000)
    .optional()
    .describe("the text for the program's standard input (default: empty)"),
});
export type RunInput = z.output<typeof runInput>;

/**
 * Returns the folder of a run and rejects any text that could lead out of the workspace. The function does not check
 * links, because the sandbox handles them.
 */
export function parseFolder({ cwd }: { readonly cwd: string }): string {
  const refuse = (message: string) => new CapabilityError("permanent", "path-outside-workspace", message);
  if (isAbsolute(cwd)) throw refuse("`cwd` is an absolute path. Send a path relative to the workspace.");
  const names = cwd.split("/").filter((name) => name !== "" && name !== ".");
  if (names.includes("..")) throw refuse("`cwd` contains `..`. Send a path without it.");
  return names.join("/");
}

/** Builds the command without the parts that only a run has: secrets, write access and network. */
export function toProcessCommand(
  terminalContext: TerminalContext,
  asked: RunInput,
  { signal }: Pick<ExecutionContext, "signal">,
) {
  const [program, ...args] = asked.argv as [string, ...string[]];
  const cwd = join(terminalContext.workspace, parseFolder(asked));
  return {
    // A relative path starts at the program's working folder. The process runner looks up a plain name in its search
    // path.
    binary: program.includes("/") && !isAbsolute(program) ? join(cwd, program) : program,
    args,
    cwd,
    ...(asked.stdin !== undefined && { stdin: asked.stdin }),
    signal,
    timeoutMs: terminalContext.timeoutMs,
    maxOutputBytes,
    limits: terminalContext.limits,
  } satisfies ProcessCommand;
}

export const maxOutputBytes = 256 * 1024;

/** Formats each argument in quotation marks and escapes invisible characters. */
export function formatArguments(argv: readonly string[]): string {
  return argv.map((argument) => escapeInvisibleJson(argument)).join(" ");
}

export function formatFolder(folder: string): string {
  return folder === "" ? "the workspace" : `\`${escapeInvisible(folder)}\``;
}
