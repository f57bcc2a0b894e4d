import type { Readable, Writable } from "node:stream";
import type { ProcessCommand } from "./command.ts";
import { LimitedOutput } from "./output.ts";
import { prepareLaunch } from "./prepare-launch.ts";
import { ProcessStopper } from "./process-stopper.ts";
import { spawnProcess } from "./spawn.ts";

/**
 * A long-running program that exchanges messages with Paraph. The guarantees of `runProcess` also apply to this
 * program.
 */
export interface InteractiveProcess {
  readonly stdin: Writable;
  readonly stdout: Readable;
  readonly pid: number;
  /** Returns the beginning of the standard error, up to 64 KiB. Paraph reads and discards the rest. */
  readErrorOutput(): string;
  /** Settles when the process and all its descendants have ended. */
  readonly ended: Promise<void>;
  /** Closes the standard input and stops the process. */
  stop(): void;
}

type InteractiveStart =
  | { readonly kind: "begun"; readonly conversation: InteractiveProcess }
  | { readonly kind: "not-started"; readonly message: string };

/** Starts the program. `signal` can stop it at any time. */
export async function startInteractive(
  command: Pick<ProcessCommand, "binary" | "args" | "cwd" | "env" | "limits" | "sandbox" | "signal">,
): Promise<InteractiveStart> {
  const launch = await prepareLaunch(command);
  if (launch.kind === "refused") return { kind: "not-started", message: launch.message };
  if (command.signal.aborted)
    return { kind: "not-started", message: "The program was stopped before it started." };
  const child = spawnProcess({ talks: true }, launch);
  const ending = new ProcessStopper(child);
  const errorOutput = new LimitedOutput(child.stderr as Readable, { maxBytes: maxErrorOutputBytes });
  if (launch.extraFiles) new LimitedOutput(child.stdio[3] as Readable, { maxBytes: 0 });
  const ended = Promise.resolve(child).then(
    () => {},
    () => {},
  );
  const { pid } = child;
  const stdin = child.stdin as Writable;
  // Writing to a process that has exited fails. The error is ignored, because `ended` reports the exit.
  stdin.on("error", () => {});
  if (pid === undefined) {
    return {
      kind: "not-started",
      message: "The program could not start. Check that its working folder exists.",
    };
  }
  const stop = () => {
    stdin.end();
    ending.stop("stopped");
  };
  command.signal.addEventListener("abort", stop, { once: true });
  void ended.then(() => command.signal.removeEventListener("abort", stop));
  const readErrorOutput = () => errorOutput.bytes().toString("utf8");
  return {
    kind: "begun",
    conversation: { stdin, stdout: child.stdout as Readable, pid, readErrorOutput, ended, stop },
  };
}

const maxErrorOutputBytes = 64 * 1024;
