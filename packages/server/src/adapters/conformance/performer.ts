import { type ChildProcess, spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { extname } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { Family } from "./family.ts";
import type { Answer, Ending, Opened, Order, Values } from "./performer/order.ts";
import type { Ground } from "./trial.ts";

export interface PerformerOptions {
  /** The trial's module, as a URL. */
  readonly trial: string;
  readonly ground: Ground;
  /** Modules to load first, as URLs. */
  readonly imports: readonly string[];
  /** Where compiled modules are kept for the next one. */
  readonly cache: string;
}

const mark = "PARAPH_TRIAL";
/** Nothing a performer is asked may take longer, unless it is said. */
const longestMs = 60_000;

/** The adapter in a process of its own, seen from here. */
export class Performer {
  readonly family: Family;
  readonly opening: Promise<Answer<Opened>>;
  readonly #child: ChildProcess;
  readonly #ended: Promise<unknown>;
  readonly #closed: Promise<unknown>;
  readonly #waiting = new Map<number, (answer: Answer) => void>();
  #count = 0;
  #printed = "";
  #ending = false;

  constructor({ trial, ground, imports, cache }: PerformerOptions) {
    const name = randomUUID();
    const entry = fileURLToPath(new URL(`./performer/main${extname(import.meta.url)}`, import.meta.url));
    const child = spawn(process.execPath, [...flags(imports), entry], {
      env: { ...process.env, [mark]: name },
      stdio: ["ignore", "pipe", "pipe", "ipc"],
      // A session of its own: what it leaves behind is known by that, and Ctrl-C is ours to handle.
      detached: true,
    });
    this.#child = child;
    this.family = new Family(child.pid ?? -1, `${mark}=${name}`);
    for (const stream of [child.stdout, child.stderr]) {
      stream!.setEncoding("utf8").on("data", (text: string) => {
        this.#printed += text;
      });
    }
    child.on("message", ({ id, ending }: { id: number; ending: Ending }) => this.#answer(id, ending));
    child.on("error", () => {});
    // Both: what it said last is still in the channel when the process is gone.
    this.#ended = Promise.allSettled([once(child, "exit"), once(child, "disconnect")]);
    this.#closed = once(child, "close").catch(() => {});
    void this.#ended.then(() => {
      for (const id of [...this.#waiting.keys()]) this.#answer(id, { kind: "died" });
    });
    this.opening = this.ask({ kind: "open", trial, ground, cache });
  }

  /** What it has printed on either stream so far. */
  get printed(): string {
    return this.#printed;
  }

  get alive(): boolean {
    const { exitCode, signalCode, connected } = this.#child;
    return !this.#ending && exitCode === null && signalCode === null && connected;
  }

  /** Whoever does not answer in time is ended. */
  ask<O extends Order>(order: O, patienceMs = longestMs): Promise<Answer<Values[O["kind"]]>> {
    return new Promise((resolve) => {
      const id = this.#count++;
      const patience = setTimeout(() => {
        this.#answer(id, { kind: "silent" });
        void this.end();
      }, patienceMs);
      this.#waiting.set(id, (answer) => {
        clearTimeout(patience);
        resolve(answer as Answer<Values[O["kind"]]>);
      });
      if (!this.alive) this.#answer(id, { kind: "died" });
      else this.#child.send({ id, order }, () => {});
    });
  }

  /** Settled once it is gone, whoever ended it; its children may outlive it. */
  get gone(): Promise<unknown> {
    return this.#ended;
  }

  /** Ends it and everybody that came from it; what it printed has arrived by then. */
  async end(): Promise<void> {
    this.#ending = true;
    this.family.living();
    this.#child.kill("SIGKILL");
    await this.#ended;
    this.family.end();
    await Promise.race([this.#closed, pause(1_000, undefined, { ref: false })]);
  }

  #answer(id: number, answer: Answer): void {
    const resolve = this.#waiting.get(id);
    this.#waiting.delete(id);
    resolve?.(answer);
  }
}

/** From source it runs as source. */
function flags(imports: readonly string[]): string[] {
  const source = extname(import.meta.url) === ".ts" ? ["--conditions=paraph-source", "--no-warnings"] : [];
  return [...source, ...imports.flatMap((url) => ["--import", url])];
}
