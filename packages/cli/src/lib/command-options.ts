import { type Command, InvalidArgumentError, Option } from "commander";
import type { Context } from "./context.ts";
import type { ExitCode } from "./exit-code.ts";

export interface GlobalOptions {
  readonly json?: boolean;
  readonly color: boolean;
  readonly url?: string;
}

export type RunCommand = (
  globals: GlobalOptions,
  command: (context: Context) => Promise<ExitCode>,
) => Promise<void>;

export function readGlobals(command: Command): GlobalOptions {
  return command.optsWithGlobals() as GlobalOptions;
}

export function createLimitOption(): Option {
  return new Option("--limit <number>", "maximum number of results")
    .default(20)
    .argParser((text) => parseWholeNumber(text, 1, 100));
}

export function parsePort(text: string): number {
  return parseWholeNumber(text, 1, 65_535);
}

export function parseWholeNumber(text: string, min: number, max = Number.MAX_SAFE_INTEGER): number {
  const number = Number(text);
  if (/^\d+$/.test(text) && number >= min && number <= max) return number;
  const range = max === Number.MAX_SAFE_INTEGER ? `of at least ${min}` : `from ${min} to ${max}`;
  throw new InvalidArgumentError(`Pass a whole number ${range}.`);
}
