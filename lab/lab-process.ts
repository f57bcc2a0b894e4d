import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { nodeFlags, sourceEnvironment, sourceFlags } from "../test/support/servers/source-environment.ts";

/** A child process that writes one line of JSON when it is ready. */
export interface LabProcess {
  readonly child: ChildProcess;
  readonly ready: { readonly url: string };
  /** Resolves when the process has exited for any reason. */
  readonly gone: Promise<void>;
  end(signal?: NodeJS.Signals): Promise<void>;
  /** Sends a message, and resolves when the process has received it or has exited. */
  tell(message: object): Promise<void>;
}

const root = fileURLToPath(new URL("..", import.meta.url));

export const scriptPaths = { paraph: "lab/process/main.ts", oracle: "lab/oracle/main.ts" } as const;

/** The options for starting a script. */
export interface StartOptions {
  /** A command that runs the script, such as one that enters a network namespace. */
  readonly prefix?: readonly string[];
  /** The workspace whose script and packages run. Without it, this workspace. */
  readonly workspace?: string;
}

/** Starts one of the scripts without the environment of this process. The script exits when this process exits. */
export async function startScript(
  script: keyof typeof scriptPaths,
  env: Record<string, string>,
  onLog: (text: string) => void,
  { prefix = [], workspace = root }: StartOptions = {},
): Promise<LabProcess> {
  const node = [process.execPath, ...(workspace === root ? nodeFlags : sourceFlags), scriptPaths[script]];
  const [command = "", ...words] = [...prefix, ...node];
  const child = spawn(command, words, {
    cwd: workspace,
    stdio: ["pipe", "pipe", "pipe", "ipc"],
    env: { ...sourceEnvironment, ...env },
  });
  // A killed process breaks its pipes. The experiments kill processes deliberately, so these errors are ignored.
  child.stdin?.on("error", () => {});
  child.stderr?.on("data", (chunk) => onLog(String(chunk)));
  const gone = once(child, "exit").then(() => {});
  const end = async (signal: NodeJS.Signals = "SIGTERM") => {
    if (child.exitCode === null && child.signalCode === null) child.kill(signal);
    await gone;
  };
  const lines = createInterface({ input: child.stdout! });
  const line = await Promise.race([once(lines, "line").then(([text]) => String(text)), gone]);
  if (line === undefined) throw new Error(`${scriptPaths[script]} ended before it was ready`);
  const tell = async (message: object) => {
    const heard = once(child, "message");
    if (child.connected) child.send(message, () => {});
    await Promise.race([heard, gone]);
  };
  return { child, ready: JSON.parse(line), gone, end, tell };
}
