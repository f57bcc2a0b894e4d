import "./lib/exit-without-deadlock.ts";
import { readFileSync } from "node:fs";
import { CommanderError } from "commander";
import { CliError, readableErrors } from "./lib/cli-error.ts";
import type { GlobalOptions } from "./lib/command-options.ts";
import type { Context } from "./lib/context.ts";
import { type ExitCode, exitCode } from "./lib/exit-code.ts";
import { listenForInterrupts } from "./lib/terminal/interrupt.ts";
import { type CliOutput, createOutput } from "./lib/terminal/output.ts";
import { askQuestion } from "./lib/terminal/prompt.ts";
import { wrapToWidth } from "./lib/terminal/width.ts";
import { createProgram } from "./program.ts";

const interrupt = listenForInterrupts();
// A reader such as `head` may close the pipe early, which is not an error.
process.stdout.on("error", (error: NodeJS.ErrnoException) => process.exit(error.code === "EPIPE" ? 0 : 1));

process.exitCode = await runCli(process.argv.slice(2));
// The process exits even if servers and connections are still closing, because `runCli` has awaited everything that
// matters.
process.stdout.write("", () => process.stderr.write("", () => process.exit()));

async function runCli(args: readonly string[]): Promise<ExitCode> {
  const { version } = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8")) as {
    version: string;
  };
  let code: ExitCode = exitCode.ok;
  let context = createContext(
    { json: args.includes("--json"), color: !args.includes("--no-color") },
    version,
  );
  const program = createProgram(version, context.output, async (globals, command) => {
    context = createContext(globals, version);
    code = await command(context);
  });
  try {
    if (args.length === 0) program.outputHelp();
    else await program.parseAsync(args, { from: "user" });
    return code;
  } catch (error) {
    return reportError(error, context);
  }
}

function createContext(globals: GlobalOptions, version: string): Context {
  const terminal = process.stdin.isTTY && process.stderr.isTTY;
  return {
    output: createOutput(process.stdout, process.stderr, process.env, { color: globals.color }),
    environment: process.env,
    folder: process.cwd(),
    signal: interrupt.signal,
    takeTime: interrupt.takeTime,
    version,
    json: globals.json === true,
    url: globals.url,
    question: terminal ? (text) => askQuestion(text, interrupt) : undefined,
    secretQuestion: terminal ? (text) => askQuestion(text, interrupt, { isSecret: true }) : undefined,
  };
}

/** Reports what failed and what to do next. Stack traces appear only with PARAPH_DEBUG=1. */
function reportError(error: unknown, { output, json, environment }: Context): ExitCode {
  // Commander has already printed its own message. Help and version are not errors. Every other Commander error is a
  // usage error.
  if (error instanceof CommanderError) return error.exitCode === 0 ? exitCode.ok : exitCode.usage;
  output.status("");
  const { code, message, exit } = toReadableError(error);
  if (json) output.json({ error: { code, message } });
  else printError(output, message);
  if (environment.PARAPH_DEBUG === "1") output.info(String((error as Error)?.stack ?? error));
  return exit;
}

function printError(output: CliOutput, message: string): void {
  const { paintInfo } = output;
  const lines = message
    .split("\n")
    .flatMap((line) => wrapToWidth(line, paintInfo.width && paintInfo.width - 8));
  output.info(`${paintInfo(["bold", "red"], "paraph:")} ${lines.join("\n        ")}`);
}

function toReadableError(error: unknown): { code: string; message: string; exit: ExitCode } {
  if (error instanceof CliError) return { code: error.code, message: error.message, exit: error.exitCode };
  const { name, code, message } = error as { name?: string; code?: unknown; message?: unknown };
  // Core and server write the messages of their own errors for users, so the CLI prints these messages unchanged.
  if (readableErrors.includes(name ?? "") && typeof message === "string") {
    return { code: String(code), message, exit: exitCode.failed };
  }
  const what = typeof message === "string" ? message.split("\n")[0] : "an unknown error";
  return {
    code: "internal",
    message: `An unexpected error occurred: ${what}. Run the command again with PARAPH_DEBUG=1 to see the stack trace.`,
    exit: exitCode.failed,
  };
}
