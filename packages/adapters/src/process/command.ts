/** A program to run and everything that it receives. It inherits nothing else from Paraph. */
export interface ProcessCommand {
  /** An absolute path, or a name that Paraph looks up in its fixed search path and never in `cwd`. */
  readonly binary: string;
  /** The arguments, which Paraph passes one by one without a shell. */
  readonly args: readonly string[];
  readonly cwd: string;
  /**
   * The whole environment. The program inherits no variables, and Paraph sets `PATH`, `HOME` and `LANG` if they are
   * missing.
   */
  readonly env?: Readonly<Record<string, string>>;
  /** The standard input, which is empty by default. */
  readonly stdin?: string | Uint8Array;
  /** The signal that makes Paraph kill the process and its descendants. */
  readonly signal: AbortSignal;
  readonly timeoutMs?: number;
  /** The maximum output of each stream (default: 8 MiB). */
  readonly maxOutputBytes?: number;
  /** Whether Paraph discards output beyond the maximum (`cut`, the default) or stops the process. */
  readonly whenTooMuch?: "cut" | "stop";
  readonly limits?: ProcessLimits;
  /**
   * The sandbox that the program needs. If this machine cannot provide a sandbox, Paraph does not start the program.
   */
  readonly sandbox?: SandboxOptions;
  /** Receives all output as it arrives, including output beyond the maximum. */
  readonly onOutput?: (chunk: string, stream: OutputStream) => void;
}

export type OutputStream = "stdout" | "stderr";

/** The limits of each process, not of all processes together. See docs/adapters/processes.md. */
export interface ProcessLimits {
  readonly memoryMb?: number;
  readonly fileMb?: number;
  readonly openFiles?: number;
  readonly processes?: number;
  readonly cpuSeconds?: number;
}

/** The folders that a program sees in addition to the system's own programs and libraries. It sees no other folders. */
export interface SandboxOptions {
  readonly read?: readonly string[];
  readonly write?: readonly string[];
  /** The folders inside visible folders that appear empty, because the program must not see their content. */
  readonly hidden?: readonly string[];
  /** Whether the program has network access (default: false). */
  readonly network?: boolean;
  /**
   * The home folder, which the program may write to. By default it is an empty folder that the sandbox deletes
   * afterwards.
   */
  readonly home?: string;
}

/** The result of a process. */
export interface ProcessResult {
  /** The exit code, or undefined if the process did not exit by itself. */
  readonly exitCode: number | undefined;
  /**
   * The signal that killed the process. In a sandbox, the result instead has the exit code 128 plus the signal's
   * number, as in a shell.
   */
  readonly signal: string | undefined;
  readonly stdout: Buffer;
  readonly stderr: Buffer;
  readonly truncated: boolean;
  readonly end: ProcessEnd;
  readonly durationMs: number;
  readonly pid?: number;
  /** The reason why the process was not started, in one sentence that may contain paths. */
  readonly message?: string;
}

export type ProcessEnd = "exited" | "timed-out" | "stopped" | "too-much-output" | "not-started";
