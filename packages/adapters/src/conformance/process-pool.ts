import { AdapterProcess, type AdapterProcessOptions } from "./adapter-process.ts";
import { describeAnswer } from "./describe-answer.ts";
import type { OpenedAdapter } from "./process/commands.ts";

/**
 * The adapter processes of a conformance test. Processes are reused, because starting one takes longer than most
 * commands.
 */
export class ProcessPool {
  readonly #options: AdapterProcessOptions;
  readonly #all = new Set<AdapterProcess>();
  #lead: AdapterProcess | undefined;
  #second: AdapterProcess | undefined;
  #spare: AdapterProcess | undefined;
  #closed = false;

  constructor(options: AdapterProcessOptions) {
    this.#options = options;
  }

  /** Returns the long-lived process, or a new one if it has died. */
  async main(): Promise<AdapterProcess> {
    if (!this.#lead?.isAlive) this.#lead = await this.startFresh();
    return this.#lead;
  }

  /** Returns a second long-lived process, for checks that state is shared between processes. */
  async second(): Promise<AdapterProcess> {
    if (!this.#second?.isAlive) this.#second = await this.startFresh();
    return this.#second;
  }

  /**
   * Returns a process that has run no command. With `another`, the pool also starts a spare process for the next call.
   */
  async startFresh(another = false): Promise<AdapterProcess> {
    const performer = this.#spare ?? this.#start();
    this.#spare = undefined;
    await requireOpened(performer);
    if (another) this.#spare = this.#start();
    return performer;
  }

  /**
   * Waits until no process is opening the adapter. Without this wait, a reset could replace data that such a process is
   * reading.
   */
  async waitUntilOpened(): Promise<void> {
    await this.#spare?.openResult;
  }

  /** Kills all processes. No process is started afterwards. */
  async close(): Promise<void> {
    this.#closed = true;
    await Promise.all([...this.#all].map((performer) => performer.kill()));
  }

  #start(): AdapterProcess {
    if (this.#closed) throw new Error("The conformance test has ended.");
    const performer = new AdapterProcess(this.#options);
    this.#all.add(performer);
    void performer.exited.then(() => this.#all.delete(performer));
    return performer;
  }
}

/** Returns the contracts that the adapter offers. Throws if the adapter does not open. */
export async function requireOpened(performer: AdapterProcess): Promise<OpenedAdapter> {
  const answer = await performer.openResult;
  if (answer.kind === "done") return answer.value;
  const printed = performer.printedText.trim();
  throw new Error(`The adapter failed to open: ${describeAnswer(answer)}${printed && `\n${printed}`}`);
}
