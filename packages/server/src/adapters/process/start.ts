import { execa } from "execa";
import type { Command } from "./command.ts";
import { withoutInherited } from "./inherited.ts";
import type { Ready } from "./launch.ts";

export type Child = ReturnType<typeof start>;

/** What it can read: nothing, this and no more, or whatever is written to it while it runs. */
type Hearing = Pick<Command, "stdin"> & { readonly talks?: boolean };

/** In a process group of its own, without anything of ours: no environment, no shell, no standard input, no open files. */
export function start({ stdin, talks = false }: Hearing, { file, args, cwd, env, handed = [] }: Ready) {
  const own = [...(handed.length > 0 ? (["pipe"] as const) : []), ...handed];
  return execa(file, args, {
    cwd,
    env,
    extendEnv: false,
    shell: false,
    preferLocal: false,
    stdio: [
      talks ? "pipe" : stdin === undefined ? "ignore" : asBytes(stdin),
      ...(["pipe", "pipe"] as const),
      ...own,
      ...withoutInherited(3 + own.length),
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

function asBytes(stdin: string | Uint8Array): Uint8Array {
  return typeof stdin === "string" ? Buffer.from(stdin) : stdin;
}

/** To put its things away: git removes its lock files, for one. */
const graceMs = 1_000;
