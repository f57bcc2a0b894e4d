import type { ProcessEnd } from "./command.ts";
import { killAll, listDescendants } from "./descendants.ts";
import type { SpawnedProcess } from "./spawn.ts";

/** Sees to it that a child ends, and everything it started with it. */
export class ProcessStopper {
  readonly #child: SpawnedProcess;
  #why: ProcessEnd | undefined;
  #over = false;
  #strays: ReturnType<typeof listDescendants> = [];

  constructor(child: SpawnedProcess) {
    this.#child = child;
    child.nodeChildProcess.once("exit", () => this.#leaveNothing());
  }

  /** Why it was stopped; not there where it ended by itself. */
  get reason(): ProcessEnd | undefined {
    return this.#why;
  }

  /** Asked to end, it has a second; what it started outside its group is noted while it is still there to tell. */
  stop(why: ProcessEnd): void {
    if (this.#over || this.#why !== undefined || this.#child.pid === undefined) return;
    this.#why = why;
    this.#strays = listDescendants(this.#child.pid);
    this.#child.kill();
  }

  /** A process that survived may hold the pipes open for ever, and nobody waits for it. */
  #leaveNothing(): void {
    this.#over = true;
    this.#child.kill("SIGKILL");
    killAll(this.#strays);
    const streams = this.#child.stdio.filter((stream) => stream !== null && stream !== undefined);
    const timer = setTimeout(() => streams.forEach((stream) => void stream.destroy()), drainMs);
    this.#child.nodeChildProcess.once("close", () => clearTimeout(timer));
  }
}

/** What is in the pipes when the last process is gone is read within this. */
const drainMs = 500;
