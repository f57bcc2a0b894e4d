import { readdirSync, readFileSync } from "node:fs";
import { mkdtemp, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { hasProgram } from "../../../../../test/support/optional-programs.ts";
import type { ProcessCommand, ProcessResult } from "./command.ts";
import { runProcess } from "./run.ts";
import { findSandbox } from "./sandbox/find-sandbox.ts";

/** For the tests of whatever starts processes. */

export const hasSandbox = hasProgram(
  (await findSandbox()).kind === "there",
  "bubblewrap",
  "apt-get install -y bubblewrap",
);

export interface ScratchFolder extends AsyncDisposable {
  readonly path: string;
}

export async function createScratchFolder(): Promise<ScratchFolder> {
  const path = await realpath(await mkdtemp(join(tmpdir(), "paraph-process-")));
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }) };
}

/** A script in a real shell: here it is the program under test, never the way to it. */
export function createShellCommand(script: string, more: Partial<ProcessCommand> = {}): ProcessCommand {
  return { binary: "sh", args: ["-c", script], cwd: "/", signal: new AbortController().signal, ...more };
}

export async function readOutput(command: ProcessCommand): Promise<string> {
  return (await runProcess(command)).stdout.toString("utf8");
}

/** Ends it as soon as it says `ready`. */
export async function stopWhenReady(command: ProcessCommand): Promise<ProcessResult> {
  const stop = new AbortController();
  let heard = "";
  const onOutput = (chunk: string) => {
    heard += chunk;
    if (heard.includes("ready")) stop.abort();
  };
  return runProcess({ ...command, signal: stop.signal, onOutput });
}

/** How long a sleep is tells whose it is. */
let sleepCount = 0;
export function createSleepDuration(): string {
  return `${86_400 + (process.pid % 100_000)}.${++sleepCount}`;
}

/** Living processes with this among their arguments. */
export function listRunning(argument: string): number[] {
  return readdirSync("/proc")
    .filter((entry) => /^\d+$/.test(entry))
    .filter((pid) => readFileOrEmpty(`/proc/${pid}/cmdline`).split("\0").includes(argument))
    .map(Number);
}

/** Looks until there are so many of them: the kernel takes a moment to take a process away. */
export async function waitForRunning(argument: string, count: number): Promise<void> {
  for (const late = AbortSignal.timeout(5_000); listRunning(argument).length !== count; await sleep(10)) {
    if (late.aborted) throw new Error(`${listRunning(argument).length} of these are running, not ${count}.`);
  }
}

function readFileOrEmpty(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}
