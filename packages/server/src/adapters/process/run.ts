import type { Readable } from "node:stream";
import type { Command, Ran, Stream } from "./command.ts";
import { Ending } from "./ending.ts";
import type { Ready } from "./launch.ts";
import { Output } from "./output.ts";
import { prepare } from "./prepare.ts";
import { start } from "./start.ts";

/** Runs a program to its end, or to ours. Never throws for what the program does. */
export async function run(command: Command): Promise<Ran> {
  const begun = performance.now();
  const launch = await prepare(command);
  if (launch.kind === "refused") return notStarted(launch.message, begun);
  if (command.signal.aborted) return notStarted("It was stopped before it began.", begun);
  return watch(command, launch, begun);
}

async function watch(command: Command, launch: Ready, begun: number): Promise<Ran> {
  const child = start(command, launch);
  const ending = new Ending(child);
  const { maxOutputBytes: most = defaultMaxOutputBytes, whenTooMuch = "cut", onOutput } = command;
  const outputOf = (stream: Stream) =>
    new Output(child[stream] as Readable, {
      most,
      ...(onOutput && { tell: (chunk: string) => onOutput(chunk, stream) }),
      ...(whenTooMuch === "stop" && { tooMuch: () => ending.stop("too-much-output") }),
    });
  const [stdout, stderr] = [outputOf("stdout"), outputOf("stderr")];
  const report = launch.handed && new Output(child.stdio[3] as Readable, { most: 4_096 });

  const result = await stoppedInTime(command, ending, () => child);

  const { exitCode, signal, code = "error" } = result;
  if (child.pid === undefined)
    return notStarted(`It could not be started (\`${code}\`): see whether its folder is there.`, begun);
  // Whoever was killed may have begun: only the sandbox's own word and its own exit say that it did not.
  const began = ending.why !== undefined || exitCode === undefined || report?.bytes().includes('"exit-code"');
  if (report && !began)
    return notStarted(`The sandbox could not be made: ${stderr.bytes().toString("utf8").trim()}`, begun);
  return {
    exitCode,
    signal,
    stdout: stdout.bytes(),
    stderr: stderr.bytes(),
    truncated: stdout.truncated || stderr.truncated,
    end: ending.why ?? "exited",
    durationMs: since(begun),
    pid: child.pid,
  };
}

async function stoppedInTime<T>(
  { signal, timeoutMs }: Command,
  ending: Ending,
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

function notStarted(message: string, begun: number): Ran {
  const nothing = {
    exitCode: undefined,
    signal: undefined,
    stdout: Buffer.alloc(0),
    stderr: Buffer.alloc(0),
  };
  return { ...nothing, truncated: false, end: "not-started", durationMs: since(begun), message };
}

function since(begun: number): number {
  return Math.round(performance.now() - begun);
}

const defaultMaxOutputBytes = 8 * 1024 * 1024;
