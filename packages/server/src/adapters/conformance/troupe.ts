import type { Opened } from "./performer/order.ts";
import { Performer, type PerformerOptions } from "./performer.ts";
import { told } from "./told.ts";

/** The performers of a trial. Starting one takes longer than most of what they are asked. */
export class Troupe {
  readonly #options: PerformerOptions;
  readonly #all = new Set<Performer>();
  #lead: Performer | undefined;
  #second: Performer | undefined;
  #spare: Performer | undefined;
  #closed = false;

  constructor(options: PerformerOptions) {
    this.#options = options;
  }

  /** The one that lasts; another, should it have died. */
  async lead(): Promise<Performer> {
    if (!this.#lead?.alive) this.#lead = await this.fresh();
    return this.#lead;
  }

  /** Another that lasts: for what one process does and another has to know. */
  async second(): Promise<Performer> {
    if (!this.#second?.alive) this.#second = await this.fresh();
    return this.#second;
  }

  /** One that has done nothing yet. `another`: one more will be wanted soon, and may as well start now. */
  async fresh(another = false): Promise<Performer> {
    const performer = this.#spare ?? this.#start();
    this.#spare = undefined;
    await openedBy(performer);
    if (another) this.#spare = this.#start();
    return performer;
  }

  /** Nobody is started any more, whoever may still ask. */
  async close(): Promise<void> {
    this.#closed = true;
    await Promise.all([...this.#all].map((performer) => performer.end()));
  }

  #start(): Performer {
    if (this.#closed) throw new Error("The trial is over.");
    const performer = new Performer(this.#options);
    this.#all.add(performer);
    void performer.gone.then(() => this.#all.delete(performer));
    return performer;
  }
}

/** What the adapter offers there; throws where it does not open. */
export async function openedBy(performer: Performer): Promise<Opened> {
  const answer = await performer.opening;
  if (answer.kind === "done") return answer.value;
  const printed = performer.printed.trim();
  throw new Error(`The adapter does not open: ${told(answer)}${printed && `\n${printed}`}`);
}
