import { execa } from "execa";
import type { ProcessCommand } from "./command.ts";
import { toInheritedStdio } from "./inherited-files.ts";
import type { ReadyLaunch } from "./launch.ts";

export type SpawnedProcess = ReturnType<typeof spawnProcess>;

/** The standard input of a process: empty, a fixed content, or a pipe that stays open while the process runs. */
type StdinOptions = Pick<ProcessCommand, "stdin"> & { readonly talks?: boolean };

/**
 * Starts a process in its own process group. The process inherits nothing from Paraph: no environment, no shell, no
 * standard input, no open files.
 */
export function spawnProcess(
  { stdin, talks = false }: StdinOptions,
  { file, args, cwd, env, extraFiles = [] }: ReadyLaunch,
) {
  const own = [...(extraFiles.length > 0 ? (["pipe"] as const) : []), ...extraFiles];
  return execa(file, args, {
    cwd,
    env,
    extendEnv: false,
    shell: false,
    preferLocal: false,
    stdio: [
      talks ? "pipe" : stdin === undefined ? "ignore" : toBytes(stdin),
      ...(["pipe", "pipe"] as const),
      ...own,
      ...toInheritedStdio(3 + own.length),
    ],
    encoding: "buffer",
    buffer: false,
    reject: false,
    stripFinalNewline: false,
    // Paraph does not use Execa's own timeout and cancellation, because they would wait only for the first process. See
    // `process-stopper.ts`.
    killDescendants: true,
    forceKillAfterDelay: graceMs,
  });
}

function toBytes(stdin: string | Uint8Array): Uint8Array {
  return typeof stdin === "string" ? Buffer.from(stdin) : stdin;
}

/**
 * The time that a process has to clean up before it is killed. For example, git removes its lock files in this time.
 */
const graceMs = 1_000;
