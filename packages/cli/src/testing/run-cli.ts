import { type ChildProcess, spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import { runsBuild, sourceEnvironment } from "../../../../test/support/servers/source-environment.ts";

const { PARAPH_TEST_INSTALL: install } = process.env;
const main = install
  ? `${install}/paraph/dist/main.js`
  : fileURLToPath(new URL(runsBuild ? "../../dist/main.js" : "../main.ts", import.meta.url));

export interface CliResult {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface RunningCli {
  readonly process: ChildProcess;
  readonly ended: Promise<CliResult>;
  /**
   * Resolves with the first complete line of standard output. Rejects with the output if the process ends before it
   * writes one.
   */
  readonly firstLine: Promise<string>;
}

export interface RunCliOptions {
  readonly folder: string;
  readonly environment?: Record<string, string>;
  readonly input?: string;
  readonly nodeOptions?: readonly string[];
  /** The program that starts Node, such as a sandbox, with its arguments (default: none). */
  readonly launcher?: readonly string[];
}

/** Starts the command line from source as a separate process, with a clean environment. */
export function startCli(args: readonly string[], options: RunCliOptions): RunningCli {
  const { folder, environment = {}, input, nodeOptions = [], launcher = [] } = options;
  const conditions = install || runsBuild ? [] : ["--conditions=paraph-source"];
  const [program, ...rest] = [...launcher, process.execPath, ...conditions];
  const child = spawn(program!, [...rest, ...nodeOptions, main, ...args], {
    cwd: folder,
    env: { ...sourceEnvironment, HOME: folder, ...environment },
  });
  child.stdin.on("error", () => {});
  child.stdin.end(input ?? "");
  const said = { stdout: "", stderr: "" };
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  promise.catch(() => {});
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    said.stdout += text;
    if (said.stdout.includes("\n")) resolve(said.stdout.slice(0, said.stdout.indexOf("\n")));
  });
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    said.stderr += text;
  });
  const ended = new Promise<CliResult>((done) =>
    child.once("close", (code) => {
      reject(new Error(`ended with ${code}: ${said.stderr}`));
      done({ code, ...said });
    }),
  );
  return { process: child, ended, firstLine: promise };
}

export function runCli(args: readonly string[], options: RunCliOptions): Promise<CliResult> {
  return startCli(args, options).ended;
}
