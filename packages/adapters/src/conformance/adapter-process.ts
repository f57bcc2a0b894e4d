import { type ChildProcess, spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { extname } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import type { Fixture } from "./conformance-test.ts";
import type {
  AdapterCommand,
  CommandResult,
  CommandValues,
  OpenedAdapter,
  ProcessAnswer,
} from "./process/commands.ts";
import { ProcessTree } from "./process-tree.ts";

export interface AdapterProcessOptions {
  /** The URL of the module that defines the conformance test. */
  readonly testUrl: string;
  readonly fixture: Fixture;
  /** The URLs of the modules that the process loads before its main module. */
  readonly imports: readonly string[];
  /** The folder where compiled modules are kept for the next process. */
  readonly cache: string;
}

const processMarker = "PARAPH_CONFORMANCE_PROCESS";
/** The default timeout of a command. */
const maxCommandMs = 60_000;
/** The time to read the rest of the output. A process that the tree does not show could keep the pipes open. */
const maxCloseMs = 10_000;

/** A handle to a child process that holds the adapter. */
export class AdapterProcess {
  readonly processTree: ProcessTree;
  readonly openResult: Promise<ProcessAnswer<OpenedAdapter>>;
  readonly #child: ChildProcess;
  readonly #ended: Promise<unknown>;
  readonly #closed: Promise<unknown>;
  readonly #waiting = new Map<number, (answer: ProcessAnswer) => void>();
  #count = 0;
  #printed = "";
  #ending = false;

  constructor({ testUrl, fixture, imports, cache }: AdapterProcessOptions) {
    const name = randomUUID();
    const entry = fileURLToPath(new URL(`./process/main${extname(import.meta.url)}`, import.meta.url));
    const child = spawn(process.execPath, [...toNodeFlags(imports), entry], {
      env: { ...process.env, [processMarker]: name },
      stdio: ["ignore", "pipe", "pipe", "ipc"],
      // The process gets its own session, so that it does not receive Ctrl-C. The suite also uses the session to find
      // children that the process left running.
      detached: true,
    });
    this.#child = child;
    this.processTree = new ProcessTree(child.pid ?? -1, `${processMarker}=${name}`);
    for (const stream of [child.stdout, child.stderr]) {
      stream!.setEncoding("utf8").on("data", (text: string) => {
        this.#printed += text;
      });
    }
    child.on("message", (message: { id: number; ending: CommandResult } | { spawned: number }) => {
      if ("spawned" in message) this.processTree.addSession(message.spawned);
      else this.#answer(message.id, message.ending);
    });
    child.on("error", () => {});
    // Both events are needed, because the last message may still be in the channel when the process has exited.
    this.#ended = Promise.allSettled([once(child, "exit"), once(child, "disconnect")]);
    this.#closed = once(child, "close").catch(() => {});
    void this.#ended.then(() => {
      for (const id of [...this.#waiting.keys()]) this.#answer(id, { kind: "died" });
    });
    this.openResult = this.send({ kind: "open", test: testUrl, fixture: fixture, cache });
  }

  /** The output of the process on both streams so far. */
  get printedText(): string {
    return this.#printed;
  }

  get isAlive(): boolean {
    const { exitCode, signalCode, connected } = this.#child;
    return !this.#ending && exitCode === null && signalCode === null && connected;
  }

  /** Sends a command. Kills the process if it does not answer in time. */
  send<O extends AdapterCommand>(
    order: O,
    patienceMs = maxCommandMs,
  ): Promise<ProcessAnswer<CommandValues[O["kind"]]>> {
    return new Promise((resolve) => {
      const id = this.#count++;
      // The answer may already be in the channel if this process was paused. `setImmediate` lets Node read it first.
      const patience = setTimeout(() => setImmediate(() => this.#giveUp(id)), patienceMs);
      this.#waiting.set(id, (answer) => {
        clearTimeout(patience);
        resolve(answer as ProcessAnswer<CommandValues[O["kind"]]>);
      });
      if (!this.isAlive) this.#answer(id, { kind: "died" });
      else this.#child.send({ id, order }, () => {});
    });
  }

  /** Resolves when the process has exited, for any reason. Its children may still run. */
  get exited(): Promise<unknown> {
    return this.#ended;
  }

  /** Kills the process and all its descendants. Its output is complete afterwards. */
  async kill(): Promise<void> {
    this.#ending = true;
    this.processTree.listLiving();
    this.#child.kill("SIGKILL");
    await this.#ended;
    this.processTree.killAll();
    await Promise.race([this.#closed, pause(maxCloseMs, undefined, { ref: false })]);
  }

  #giveUp(id: number): void {
    if (!this.#waiting.has(id)) return;
    this.#answer(id, { kind: "silent" });
    void this.kill();
  }

  #answer(id: number, answer: ProcessAnswer): void {
    const resolve = this.#waiting.get(id);
    this.#waiting.delete(id);
    resolve?.(answer);
  }
}

/** Returns the Node flags for the child process. The child runs from TypeScript source if this module does. */
function toNodeFlags(imports: readonly string[]): string[] {
  const source = extname(import.meta.url) === ".ts" ? ["--conditions=paraph-source", "--no-warnings"] : [];
  return [...source, ...imports.flatMap((url) => ["--import", url])];
}
