import { readdirSync, readFileSync } from "node:fs";
import { mkdtemp, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { hasPart } from "../../../../../test/parts.ts";
import type { Command, Ran } from "./command.ts";
import { run } from "./run.ts";
import { sandboxHere } from "./sandbox-here.ts";

/** For the tests of whatever starts processes. */

export const sandboxIsHere = hasPart(
  (await sandboxHere()).kind === "there",
  "bubblewrap",
  "apt-get install -y bubblewrap",
);

export interface Scratch extends AsyncDisposable {
  readonly path: string;
}

export async function scratch(): Promise<Scratch> {
  const path = await realpath(await mkdtemp(join(tmpdir(), "paraph-process-")));
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }) };
}

/** A script in a real shell: here it is the program under test, never the way to it. */
export function shell(script: string, more: Partial<Command> = {}): Command {
  return { binary: "sh", args: ["-c", script], cwd: "/", signal: new AbortController().signal, ...more };
}

export async function said(command: Command): Promise<string> {
  return (await run(command)).stdout.toString("utf8");
}

/** Ends it as soon as it says `ready`. */
export async function stoppedWhenReady(command: Command): Promise<Ran> {
  const stop = new AbortController();
  let heard = "";
  const onOutput = (chunk: string) => {
    heard += chunk;
    if (heard.includes("ready")) stop.abort();
  };
  return run({ ...command, signal: stop.signal, onOutput });
}

/** How long a sleep is tells whose it is. */
let sleeps = 0;
export function ownSleep(): string {
  return `${86_400 + (process.pid % 100_000)}.${++sleeps}`;
}

/** Living processes with this among their arguments. */
export function running(argument: string): number[] {
  return readdirSync("/proc")
    .filter((entry) => /^\d+$/.test(entry))
    .filter((pid) => read(`/proc/${pid}/cmdline`).split("\0").includes(argument))
    .map(Number);
}

/** Looks until there are so many of them: the kernel takes a moment to take a process away. */
export async function untilRunning(argument: string, count: number): Promise<void> {
  for (const late = AbortSignal.timeout(5_000); running(argument).length !== count; await sleep(10)) {
    if (late.aborted) throw new Error(`${running(argument).length} of these are running, not ${count}.`);
  }
}

function read(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}
