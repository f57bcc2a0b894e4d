import { randomUUID } from "node:crypto";
import type { Contract, Json } from "@paraph/core";
import type { Answer, Attempt, Offer } from "./performer/order.ts";
import type { Performer } from "./performer.ts";
import type { Case, Ground, Trial } from "./trial.ts";
import type { Troupe } from "./troupe.ts";

/** One case, with all it takes to try it. */
export class Bench {
  readonly case: Case;
  readonly index: number;
  readonly offer: Offer;
  readonly offered: readonly Offer[];
  readonly trial: Trial;
  readonly ground: Ground;
  readonly troupe: Troupe;
  /** How often it is killed. */
  readonly crashes: number;

  constructor(
    trial: Trial,
    index: number,
    {
      offer,
      offered,
      ground,
      troupe,
      crashes,
    }: Pick<Bench, "offer" | "offered" | "ground" | "troupe" | "crashes">,
  ) {
    this.trial = trial;
    this.index = index;
    this.case = trial.cases[index]!;
    this.offer = offer;
    this.offered = offered;
    this.ground = ground;
    this.troupe = troupe;
    this.crashes = this.case.crashes ?? crashes;
  }

  get contract(): Contract {
    return this.offer.contract;
  }

  /** Brings the outside back to where this case starts, and looks at it. */
  async begin(): Promise<string> {
    await this.trial.reset(this.ground);
    await this.case.given?.(this.ground);
    return this.picture();
  }

  picture(): Promise<string> {
    return this.trial.picture(this.ground);
  }

  /** Another call with the case's input: what its first attempt is. */
  attempt(over: Partial<Attempt> = {}): Attempt {
    const { capability, input } = this.case;
    return { capability, input, call: randomUUID(), attempt: 1, ...over };
  }

  /** The attempt with the basis it rests on now; without one where there is no preview, or it fails. */
  async based(performer: Performer, attempt: Attempt): Promise<Attempt> {
    if (!this.#previews(attempt.capability)) return attempt;
    const looked = await performer.ask({ kind: "preview", ...attempt, attempt: 0 });
    return looked.kind === "done" ? { ...attempt, basis: looked.value.basis } : attempt;
  }

  /** As the pipeline does it: looks, then acts. */
  async perform(performer: Performer, attempt: Attempt): Promise<Answer<Json>> {
    return performer.ask({ kind: "apply", ...(await this.based(performer, attempt)) });
  }

  #previews(capability: string): boolean {
    return this.offered.some(({ contract }) => contract.name === capability && contract.previews);
  }
}
