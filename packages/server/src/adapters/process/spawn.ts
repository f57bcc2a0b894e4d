import { execa } from "execa";
import type { ProcessCommand } from "./command.ts";
import { toInheritedStdio } from "./inherited-files.ts";
import type { ReadyLaunch } from "./launch.ts";

export type SpawnedProcess = ReturnType<typeof spawnProcess>;

/** What it can read: nothing, this and no more, or whatever is written to it while it runs. */
type StdinOptions = Pick<ProcessCommand, "stdin"> & { readonly talks?: boolean };

/** In a process group of its own, without anything of ours: no environment, no shell, no standard input, no open files. */
export function spawnProcess(
  { stdin, talks = false }: StdinOptions,
  { file, args, cwd, env, extraFiles: handed = [] }: ReadyLaunch,
) {
  const own = [...(handed.length > 0 ? (["pipe"] as const) : []), ...handed];
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
    // Its own time-out and cancelling would settle for the first process: see `ending.ts`.
    killDescendants: true,
    forceKillAfterDelay: graceMs,
  });
}

function toBytes(stdin: string | Uint8Array): Uint8Array {
  return typeof stdin === "string" ? Buffer.from(stdin) : stdin;
}

/** To put its things away: git removes its lock files, for one. */
const graceMs = 1_000;
