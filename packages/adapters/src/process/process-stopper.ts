import type { ProcessEnd } from "./command.ts";
import { killAll, listDescendants } from "./descendants.ts";
import type { SpawnedProcess } from "./spawn.ts";

/** A guard that ends a child process together with all its descendants. */
export class ProcessStopper {
  readonly #child: SpawnedProcess;
  #why: ProcessEnd | undefined;
  #over = false;
  #strays: ReturnType<typeof listDescendants> = [];

  constructor(child: SpawnedProcess) {
    this.#child = child;
    child.nodeChildProcess.once("exit", () => this.#leaveNothing());
  }

  /** The reason why Paraph stopped the process, or undefined if it ended by itself. */
  get reason(): ProcessEnd | undefined {
    return this.#why;
  }

  /**
   * Asks the process to end and kills it after a second. It first lists descendants outside the process group, because
   * they cannot be found once the process has ended.
   */
  stop(why: ProcessEnd): void {
    if (this.#over || this.#why !== undefined || this.#child.pid === undefined) return;
    this.#why = why;
    this.#strays = listDescendants(this.#child.pid);
    this.#child.kill();
  }

  /**
   * Kills the remaining processes. After a delay it also closes the pipes, because a surviving process could keep them
   * open indefinitely.
   */
  #leaveNothing(): void {
    this.#over = true;
    this.#child.kill("SIGKILL");
    killAll(this.#strays);
    const streams = this.#child.stdio.filter((stream) => stream !== null && stream !== undefined);
    const timer = setTimeout(() => streams.forEach((stream) => void stream.destroy()), drainMs);
    this.#child.nodeChildProcess.once("close", () => clearTimeout(timer));
  }
}

/** The time to read the rest of the pipes after the last process has ended. */
const drainMs = 500;
