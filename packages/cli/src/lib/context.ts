import type { CliOutput } from "./terminal/output.ts";

/** What every command is handed. */
export interface Context {
  readonly output: CliOutput;
  readonly environment: NodeJS.ProcessEnv;
  /** The folder the command was given in. */
  readonly folder: string;
  /** Aborts on Ctrl-C. */
  readonly signal: AbortSignal;
  /** Called by a command that has things to stop in order after Ctrl-C. */
  readonly takeTime: () => void;
  readonly version: string;
  readonly json: boolean;
  readonly url: string | undefined;
  /** Asks the person at the terminal; undefined where there is none. */
  readonly question: ((text: string) => Promise<string>) | undefined;
}
