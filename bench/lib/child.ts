import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { sourceEnvironment } from "../../test/support/servers/source-environment.ts";

/** A child process that answers messages. It exits when the channel to this process closes. */
export interface ChildHandle {
  readonly pid: number;
  /** The first message of the process, which it sends when it is ready. */
  readonly ready: unknown;
  send(message: object): void;
  /** Returns the next message of this kind. Rejects if the process ends first. */
  waitForMessage<T extends object>(kind: string): Promise<T>;
  /** Stops the process gracefully, and kills it if that takes too long. */
  stop(): Promise<void>;
}

/**
 * Runs a TypeScript file as a child process. Resolves once the process sends its first message, of the kind `ready`.
 */
export async function startChild(script: URL, env: Record<string, string> = {}): Promise<ChildHandle> {
  const child = spawn(
    process.execPath,
    ["--conditions=paraph-source", "--no-warnings", fileURLToPath(script)],
    {
      stdio: ["ignore", "ignore", "pipe", "ipc"],
      env: { ...sourceEnvironment, ...env },
    },
  );
  let lastWords = "";
  child.stderr?.on("data", (chunk) => {
    lastWords = `${lastWords}${chunk}`.slice(-4_000);
  });
  const heard = <T extends object>(kind: string) => receiveMessage<T>(child, kind, () => lastWords);
  const stop = () => stopChild(child);
  try {
    const ready = await heard("ready");
    return {
      pid: child.pid ?? 0,
      ready,
      send: (message) => void child.send(message),
      waitForMessage: heard,
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

function receiveMessage<T extends object>(
  child: ChildProcess,
  kind: string,
  lastWords: () => string,
): Promise<T> {
  return new Promise((resolve, reject) => {
    const leave = () => {
      child.off("message", listen);
      child.off("close", gone);
    };
    const listen = (message: { kind?: string }) => {
      if (message.kind !== kind) return;
      leave();
      resolve(message as T);
    };
    const gone = () => {
      leave();
      reject(
        new Error(`a process ended while it was to say \`${kind}\`: ${lastWords() || "it said nothing"}`),
      );
    };
    if (child.exitCode !== null || child.signalCode !== null) return gone();
    child.on("message", listen).on("close", gone);
  });
}

async function stopChild(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exit = once(child, "exit");
  const killing = setTimeout(() => child.kill("SIGKILL"), 8_000);
  if (child.connected) child.disconnect();
  else child.kill("SIGTERM");
  await exit;
  clearTimeout(killing);
}
