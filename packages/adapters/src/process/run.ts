import type { Readable } from "node:stream";
import type { OutputStream, ProcessCommand, ProcessResult } from "./command.ts";
import type { ReadyLaunch } from "./launch.ts";
import { LimitedOutput } from "./output.ts";
import { prepareLaunch } from "./prepare-launch.ts";
import { ProcessStopper } from "./process-stopper.ts";
import { spawnProcess } from "./spawn.ts";

/**
 * Runs a program until it ends or Paraph stops it. The result reports how the program ended, and no behavior of the
 * program makes the function throw.
 */
export async function runProcess(command: ProcessCommand): Promise<ProcessResult> {
  const begun = performance.now();
  const launch = await prepareLaunch(command);
  if (launch.kind === "refused") return toNotStarted(launch.message, begun);
  if (command.signal.aborted) return toNotStarted("The program was stopped before it started.", begun);
  return watchProcess(command, launch, begun);
}

async function watchProcess(
  command: ProcessCommand,
  launch: ReadyLaunch,
  begun: number,
): Promise<ProcessResult> {
  const child = spawnProcess(command, launch);
  const ending = new ProcessStopper(child);
  const { maxOutputBytes = defaultMaxOutputBytes, whenTooMuch = "cut", onOutput } = command;
  const outputOf = (stream: OutputStream) =>
    new LimitedOutput(child[stream] as Readable, {
      maxBytes: maxOutputBytes,
      ...(onOutput && { tell: (chunk: string) => onOutput(chunk, stream) }),
      ...(whenTooMuch === "stop" && { tooMuch: () => ending.stop("too-much-output") }),
    });
  const [stdout, stderr] = [outputOf("stdout"), outputOf("stderr")];
  const report = launch.extraFiles && new LimitedOutput(child.stdio[3] as Readable, { maxBytes: 4_096 });

  const result = await withDeadline(command, ending, () => child);

  const { exitCode, signal, code = "error" } = result;
  if (child.pid === undefined)
    return toNotStarted(
      `The program could not start (\`${code}\`). Check that its working folder exists.`,
      begun,
    );
  // A program counts as not started only if the sandbox exited by itself and reported no exit code of the program. A
  // killed program counts as started, because it may have started.
  const began =
    ending.reason !== undefined || exitCode === undefined || report?.bytes().includes('"exit-code"');
  if (report && !began)
    return toNotStarted(formatSandboxFailure(stderr.bytes().toString("utf8").trim()), begun);
  return {
    exitCode,
    signal,
    stdout: stdout.bytes(),
    stderr: stderr.bytes(),
    truncated: stdout.truncated || stderr.truncated,
    end: ending.reason ?? "exited",
    durationMs: elapsedMs(begun),
    pid: child.pid,
  };
}

/**
 * Explains why the sandbox did not start the program. The kernel reports a missing interpreter of a script as if the
 * script itself were missing.
 */
function formatSandboxFailure(output: string): string {
  const program = /^bwrap: execvp (.*): No such file or directory$/.exec(output)?.[1];
  return program === undefined
    ? `The sandbox could not start: ${output}`
    : `The sandbox does not contain the program \`${program}\`, or the interpreter that its first line names. Check the path, and add the missing folder to the folders that the sandbox can read.`;
}

async function withDeadline<T>(
  { signal, timeoutMs }: ProcessCommand,
  ending: ProcessStopper,
  body: () => PromiseLike<T>,
): Promise<T> {
  const onAbort = () => ending.stop("stopped");
  signal.addEventListener("abort", onAbort, { once: true });
  const timer = timeoutMs === undefined ? undefined : setTimeout(() => ending.stop("timed-out"), timeoutMs);
  try {
    return await body();
  } finally {
    clearTimeout(timer);
    signal.removeEventListener("abort", onAbort);
  }
}

function toNotStarted(message: string, begun: number): ProcessResult {
  const nothing = {
    exitCode: undefined,
    signal: undefined,
    stdout: Buffer.alloc(0),
    stderr: Buffer.alloc(0),
  };
  return { ...nothing, truncated: false, end: "not-started", durationMs: elapsedMs(begun), message };
}

function elapsedMs(begun: number): number {
  return Math.round(performance.now() - begun);
}

const defaultMaxOutputBytes = 8 * 1024 * 1024;
