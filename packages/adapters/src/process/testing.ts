import { readdirSync, readFileSync } from "node:fs";
import { mkdtemp, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { hasProgram } from "../../../../test/support/optional-programs.ts";
import type { ProcessCommand, ProcessResult } from "./command.ts";
import { runProcess } from "./run.ts";
import { findSandbox } from "./sandbox/find-sandbox.ts";

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

/** Returns a command that runs a script in a real shell. The shell itself is the program under test. */
export function createShellCommand(script: string, more: Partial<ProcessCommand> = {}): ProcessCommand {
  return { binary: "sh", args: ["-c", script], cwd: "/", signal: new AbortController().signal, ...more };
}

export async function readOutput(command: ProcessCommand): Promise<string> {
  return (await runProcess(command)).stdout.toString("utf8");
}

/** Stops the process as soon as it prints `ready`. */
export async function stopWhenReady(command: ProcessCommand): Promise<ProcessResult> {
  const stop = new AbortController();
  let heard = "";
  const onOutput = (chunk: string) => {
    heard += chunk;
    if (heard.includes("ready")) stop.abort();
  };
  return runProcess({ ...command, signal: stop.signal, onOutput });
}

/** A counter that gives each test a different sleep duration. The duration identifies the test's process. */
let sleepCount = 0;
export function createSleepDuration(): string {
  return `${86_400 + (process.pid % 100_000)}.${++sleepCount}`;
}

/** Lists the running processes that have this argument. */
export function listRunning(argument: string): number[] {
  return readdirSync("/proc")
    .filter((entry) => /^\d+$/.test(entry))
    .filter((pid) => readFileOrEmpty(`/proc/${pid}/cmdline`).split("\0").includes(argument))
    .map(Number);
}

/** Waits until the number of running processes is `count`, because the kernel removes a killed process with a delay. */
export async function waitForRunning(argument: string, count: number): Promise<void> {
  for (const signal = AbortSignal.timeout(60_000); listRunning(argument).length !== count; await sleep(10)) {
    if (signal.aborted)
      throw new Error(`${listRunning(argument).length} of these are running, not ${count}.`);
  }
}

function readFileOrEmpty(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}
