import { spawn } from "node:child_process";
import { closeSync, fstatSync } from "node:fs";
import { extname } from "node:path";
import { fileURLToPath } from "node:url";
import type { GuardianCommand, GuardianOrder, GuardianReport } from "./guardian.ts";
import { openLog, readLogSince, takeLastLines } from "./log-file.ts";
import { ServerError } from "./server-error.ts";

/** The exit code or the signal with which a server ended. */
export type ServerExit = { code: number | null; signal: string | null };

/** A server that runs under a guardian process. It does not keep the calling process alive. */
export type RunningServer = {
  /** The process id of the server itself, not of its guardian. */
  pid: number;
  /** Resolves when the server's process has ended, for whatever reason. */
  exited: Promise<ServerExit>;
  /** Stops the server gracefully and resolves when it has ended. */
  stop(): Promise<void>;
  /** Kills the server with SIGKILL, as in a crash, and resolves when the server has ended. */
  kill(): Promise<void>;
  /** Returns what the server wrote to its log since it started. */
  readLog(): string;
};

export type SuperviseOptions = Omit<GuardianOrder, "kind" | "env"> & {
  /** The name of the server, whose log is `<folder>/<name>.log`. */
  name: string;
  folder: string;
  env?: Record<string, string>;
};

/** Starts a server under its guardian. Resolves once the process runs, before the server answers requests. */
export async function superviseServer(server: SuperviseOptions): Promise<RunningServer> {
  const { name, folder, env, ...order } = server;
  const logFile = `${folder}/${name}.log`;
  const log = openLog(logFile);
  const logStart = fstatSync(log).size;
  const guardian = spawn(process.execPath, [resolveGuardianScript(), name, folder], {
    cwd: "/",
    env: buildServerEnvironment(),
    detached: true,
    stdio: ["ignore", log, log, "ipc"],
  });
  closeSync(log);
  const send = (message: GuardianCommand) => guardian.connected && guardian.send(message, () => {});
  send({ kind: "start", ...order, env: { ...buildServerEnvironment(), ...env } });

  let pid: number | undefined;
  const { promise, resolve, reject } = Promise.withResolvers<number>();
  const { promise: exited, resolve: setExited } = Promise.withResolvers<ServerExit>();
  let lastWord: ServerExit = { code: null, signal: null };

  guardian.on("message", (message: GuardianReport) => {
    switch (message.kind) {
      case "started":
        pid = message.pid;
        return resolve(pid);
      case "locked":
        return reject(
          createAlreadyRunningError(name, folder, message.holder.server ?? message.holder.guardian),
        );
      case "failed":
        return reject(new ServerError("start-failed", `${name} could not be run: ${message.reason}`));
      case "exited":
        lastWord = { code: message.code, signal: message.signal };
    }
  });
  guardian.once("error", reject);
  // Unlike `exit`, `close` comes after the last message has been read.
  guardian.once("close", () => {
    // If the guardian itself was killed, its server still runs and must be killed here.
    if (pid !== undefined && lastWord.code === null && lastWord.signal === null) killOrphan(pid);
    const tail = takeLastLines(readLogSince(logFile, logStart));
    reject(
      new ServerError(
        "start-failed",
        `${name} did not start, because its guardian process ended first. The log ends with:\n${tail}`,
      ),
    );
    setExited(lastWord);
  });

  await promise;
  guardian.unref();
  guardian.channel?.unref();
  const untilExited = async () => {
    guardian.ref();
    guardian.channel?.ref();
    await exited;
  };
  return {
    pid: await promise,
    exited,
    stop() {
      send({ kind: "stop" });
      return untilExited();
    },
    kill() {
      if (guardian.exitCode === null && guardian.signalCode === null) killOrphan(pid!);
      return untilExited();
    },
    readLog: () => readLogSince(logFile, logStart),
  };
}

export function createAlreadyRunningError(
  name: string,
  folder: string,
  pid: number | undefined,
): ServerError {
  const who = pid === undefined ? "another process" : `process ${pid}`;
  return new ServerError(
    "already-running",
    `${name} already runs for \`${folder}\` as ${who}. Stop the other \`paraph dev\` first, or use another folder.`,
  );
}

/**
 * Returns the path of the guardian script, which is beside this file. The script is a source file in the workspace and
 * a compiled file in a published package.
 */
function resolveGuardianScript(): string {
  return fileURLToPath(new URL(`./guardian${extname(import.meta.url)}`, import.meta.url));
}

/**
 * Returns the environment of the servers, which inherits almost nothing from the caller's environment. The caller's
 * environment holds secrets, and its PG… and RESTATE_… variables would change the servers' settings.
 */
function buildServerEnvironment(): Record<string, string> {
  const kept = ["PATH", "TZ", "TMPDIR"] as const;
  return Object.fromEntries(kept.flatMap((key) => (process.env[key] ? [[key, process.env[key]]] : [])));
}

function killOrphan(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
  }
}
