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
  /** The trial's module, as a URL. */
  readonly testUrl: string;
  readonly fixture: Fixture;
  /** Modules to load first, as URLs. */
  readonly imports: readonly string[];
  /** Where compiled modules are kept for the next one. */
  readonly cache: string;
}

const processMarker = "PARAPH_TRIAL";
/** Nothing a performer is asked may take longer, unless it is said. */
const maxCommandMs = 60_000;

/** The adapter in a process of its own, seen from here. */
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

  constructor({ testUrl: trial, fixture: ground, imports, cache }: AdapterProcessOptions) {
    const name = randomUUID();
    const entry = fileURLToPath(new URL(`./process/main${extname(import.meta.url)}`, import.meta.url));
    const child = spawn(process.execPath, [...toNodeFlags(imports), entry], {
      env: { ...process.env, [processMarker]: name },
      stdio: ["ignore", "pipe", "pipe", "ipc"],
      // A session of its own: what it leaves behind is known by that, and Ctrl-C is ours to handle.
      detached: true,
    });
    this.#child = child;
    this.processTree = new ProcessTree(child.pid ?? -1, `${processMarker}=${name}`);
    for (const stream of [child.stdout, child.stderr]) {
      stream!.setEncoding("utf8").on("data", (text: string) => {
        this.#printed += text;
      });
    }
    child.on("message", ({ id, ending }: { id: number; ending: CommandResult }) => this.#answer(id, ending));
    child.on("error", () => {});
    // Both: what it said last is still in the channel when the process is gone.
    this.#ended = Promise.allSettled([once(child, "exit"), once(child, "disconnect")]);
    this.#closed = once(child, "close").catch(() => {});
    void this.#ended.then(() => {
      for (const id of [...this.#waiting.keys()]) this.#answer(id, { kind: "died" });
    });
    this.openResult = this.send({ kind: "open", trial, ground, cache });
  }

  /** What it has printed on either stream so far. */
  get printedText(): string {
    return this.#printed;
  }

  get isAlive(): boolean {
    const { exitCode, signalCode, connected } = this.#child;
    return !this.#ending && exitCode === null && signalCode === null && connected;
  }

  /** Whoever does not answer in time is ended. */
  send<O extends AdapterCommand>(
    order: O,
    patienceMs = maxCommandMs,
  ): Promise<ProcessAnswer<CommandValues[O["kind"]]>> {
    return new Promise((resolve) => {
      const id = this.#count++;
      const patience = setTimeout(() => {
        this.#answer(id, { kind: "silent" });
        void this.kill();
      }, patienceMs);
      this.#waiting.set(id, (answer) => {
        clearTimeout(patience);
        resolve(answer as ProcessAnswer<CommandValues[O["kind"]]>);
      });
      if (!this.isAlive) this.#answer(id, { kind: "died" });
      else this.#child.send({ id, order }, () => {});
    });
  }

  /** Settled once it is gone, whoever ended it; its children may outlive it. */
  get exited(): Promise<unknown> {
    return this.#ended;
  }

  /** Ends it and everybody that came from it; what it printed has arrived by then. */
  async kill(): Promise<void> {
    this.#ending = true;
    this.processTree.listLiving();
    this.#child.kill("SIGKILL");
    await this.#ended;
    this.processTree.killAll();
    await Promise.race([this.#closed, pause(1_000, undefined, { ref: false })]);
  }

  #answer(id: number, answer: ProcessAnswer): void {
    const resolve = this.#waiting.get(id);
    this.#waiting.delete(id);
    resolve?.(answer);
  }
}

/** From source it runs as source. */
function toNodeFlags(imports: readonly string[]): string[] {
  const source = extname(import.meta.url) === ".ts" ? ["--conditions=paraph-source", "--no-warnings"] : [];
  return [...source, ...imports.flatMap((url) => ["--import", url])];
}
