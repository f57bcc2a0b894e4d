/** A program to run, with everything it gets: nothing else of ours reaches it. */
export interface ProcessCommand {
  /** Absolute, or a name that is looked up in the runner's own fixed search path, never in `cwd`. */
  readonly binary: string;
  /** Handed over one by one, as they are: there is no shell in between. */
  readonly args: readonly string[];
  readonly cwd: string;
  /** The whole environment. Nothing is inherited; `PATH`, `HOME` and `LANG` are set unless given. */
  readonly env?: Readonly<Record<string, string>>;
  /** Without it there is nothing to read. */
  readonly stdin?: string | Uint8Array;
  /** At its end the process and its descendants are killed. */
  readonly signal: AbortSignal;
  readonly timeoutMs?: number;
  /** Of each stream: 8 MiB unless said. */
  readonly maxOutputBytes?: number;
  /** What happens beyond it: the rest is dropped (`cut`, unless said), or the process is stopped. */
  readonly whenTooMuch?: "cut" | "stop";
  readonly limits?: ProcessLimits;
  /** Where this is given and there is no sandbox here, the program is not started. */
  readonly sandbox?: SandboxOptions;
  /** Told whatever it puts out, as it comes, also what is cut. */
  readonly onOutput?: (chunk: string, stream: OutputStream) => void;
}

export type OutputStream = "stdout" | "stderr";

/** Of each process, not of all together: see docs/adapters/processes.md. */
export interface ProcessLimits {
  readonly memoryMb?: number;
  readonly fileMb?: number;
  readonly openFiles?: number;
  readonly processes?: number;
  readonly cpuSeconds?: number;
}

/** What a program sees besides the system's own programs and libraries: the folders named here and nothing else. */
export interface SandboxOptions {
  readonly read?: readonly string[];
  readonly write?: readonly string[];
  /** Folders that are empty where they lie in one of those: what is not for the program, in the midst of what is. */
  readonly hidden?: readonly string[];
  /** No unless said. */
  readonly network?: boolean;
  /** Its home, which it may write to; unless said, an empty one that is gone afterwards. */
  readonly home?: string;
}

/** How it ended. */
export interface ProcessResult {
  /** Not there where it did not end by itself. */
  readonly exitCode: number | undefined;
  /** What killed it. Inside a sandbox a signal is told as a shell does: exit code 128 and its number. */
  readonly signal: string | undefined;
  readonly stdout: Buffer;
  readonly stderr: Buffer;
  readonly truncated: boolean;
  readonly end: ProcessEnd;
  readonly durationMs: number;
  readonly pid?: number;
  /** Why it was not started: one sentence, which may name paths. */
  readonly message?: string;
}

export type ProcessEnd = "exited" | "timed-out" | "stopped" | "too-much-output" | "not-started";
