import { AdapterProcess, type AdapterProcessOptions } from "./adapter-process.ts";
import { describeAnswer } from "./describe-answer.ts";
import type { OpenedAdapter } from "./process/commands.ts";

/** The performers of a trial. Starting one takes longer than most of what they are asked. */
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

  /** The one that lasts; another, should it have died. */
  async main(): Promise<AdapterProcess> {
    if (!this.#lead?.isAlive) this.#lead = await this.startFresh();
    return this.#lead;
  }

  /** Another that lasts: for what one process does and another has to know. */
  async second(): Promise<AdapterProcess> {
    if (!this.#second?.isAlive) this.#second = await this.startFresh();
    return this.#second;
  }

  /** One that has done nothing yet. `another`: one more will be wanted soon, and may as well start now. */
  async startFresh(another = false): Promise<AdapterProcess> {
    const performer = this.#spare ?? this.#start();
    this.#spare = undefined;
    await requireOpened(performer);
    if (another) this.#spare = this.#start();
    return performer;
  }

  /** Nobody is started any more, whoever may still ask. */
  async close(): Promise<void> {
    this.#closed = true;
    await Promise.all([...this.#all].map((performer) => performer.kill()));
  }

  #start(): AdapterProcess {
    if (this.#closed) throw new Error("The trial is over.");
    const performer = new AdapterProcess(this.#options);
    this.#all.add(performer);
    void performer.exited.then(() => this.#all.delete(performer));
    return performer;
  }
}

/** What the adapter offers there; throws where it does not open. */
export async function requireOpened(performer: AdapterProcess): Promise<OpenedAdapter> {
  const answer = await performer.openResult;
  if (answer.kind === "done") return answer.value;
  const printed = performer.printedText.trim();
  throw new Error(`The adapter does not open: ${describeAnswer(answer)}${printed && `\n${printed}`}`);
}
