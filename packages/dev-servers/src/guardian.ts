// The guardian is a process between the caller and one server. It has its own session, so that Ctrl-C reaches only the
// caller. It stops the server when the channel to the caller closes, however the caller ended.
//
// Run it as `node guardian.ts <server name> <folder>`. The caller sends the start order over the channel and not on the
// command line, which every user of the machine can read. The order contains an environment, which may hold secrets.

import { type ChildProcess, spawn } from "node:child_process";
import { acquireLock, type LockHolder, recordServer, releaseLock } from "./lock.ts";

export type GuardianOrder = {
  kind: "start";
  command: string;
  args: string[];
  env: Record<string, string>;
  user?: { uid: number; gid: number };
  stopSignal: "SIGINT" | "SIGTERM";
  /** The time that the server may take to stop before it is killed. */
  graceMs: number;
};

export type GuardianCommand = GuardianOrder | { kind: "stop" };

export type GuardianReport =
  | { kind: "started"; pid: number }
  | { kind: "locked"; holder: LockHolder }
  | { kind: "failed"; reason: string }
  | { kind: "exited"; code: number | null; signal: string | null };

const [name, folder] = process.argv.slice(2);
const lockFile = `${folder}/${name}.lock`;

let server: ChildProcess | undefined;
let stopOrder: Pick<GuardianOrder, "stopSignal" | "graceMs"> | undefined;
let stopping = false;

process.on("message", (message: GuardianCommand) =>
  message.kind === "start" ? startServer(message) : stopServer(),
);
process.on("disconnect", stopServer);
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, stopServer);

function startServer(order: GuardianOrder): void {
  try {
    const holder = acquireLock(lockFile, folder!);
    if (holder) {
      reportAndExit({ kind: "locked", holder });
      return;
    }
    stopOrder = order;
    server = spawn(order.command, order.args, {
      cwd: "/",
      env: order.env,
      stdio: ["ignore", "inherit", "inherit"],
      ...order.user,
    });
    server.once("error", (error) => reportAndExit({ kind: "failed", reason: error.message }));
    server.once("exit", (code, signal) => reportAndExit({ kind: "exited", code, signal }));
    if (server.pid === undefined) return;
    recordServer(lockFile, server.pid);
    process.send?.({ kind: "started", pid: server.pid } satisfies GuardianReport, ignoreClosedChannel);
  } catch (error) {
    server?.kill("SIGKILL");
    reportAndExit({ kind: "failed", reason: (error as Error).message });
  }
}

function stopServer(): void {
  if (!server || !stopOrder) process.exit(0);
  if (stopping) return;
  stopping = true;
  server.kill(stopOrder.stopSignal);
  setTimeout(() => server?.kill("SIGKILL"), stopOrder.graceMs);
}

/** Sends the last report and exits, because the guardian ends with its server. */
function reportAndExit(last: GuardianReport): void {
  try {
    releaseLock(lockFile);
  } finally {
    if (process.connected) process.send?.(last, () => process.exit(0));
    else process.exit(0);
  }
}

/**
 * Ignores the error of sending on a closed channel. The channel also closes when the caller ends, and the `disconnect`
 * event handles that case.
 */
function ignoreClosedChannel(): void {}
