import type { CliOutput } from "./terminal/output.ts";

/** The context of every command. */
export interface Context {
  readonly output: CliOutput;
  readonly environment: NodeJS.ProcessEnv;
  /** The current folder of the command. */
  readonly folder: string;
  /** Aborts on Ctrl-C. */
  readonly signal: AbortSignal;
  /** Tells the program that the command needs time to stop its parts after Ctrl-C. */
  readonly takeTime: () => void;
  readonly version: string;
  readonly json: boolean;
  readonly url: string | undefined;
  /** Whether the command is for one folder or one address, so that it must not use the stored login. */
  readonly ignoresLogin?: boolean;
  /** Asks the person at the terminal. Undefined if there is no terminal. */
  readonly question: ((text: string) => Promise<string>) | undefined;
  /** Asks the person at the terminal for a secret, without showing it. Undefined if there is no terminal. */
  readonly secretQuestion: ((text: string) => Promise<string>) | undefined;
}
