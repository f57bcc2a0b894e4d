import { setTimeout } from "node:timers/promises";
import { type PlanRequest, planCapability } from "@paraph/core";
import type { LabClient } from "../client.ts";
import type { Keys } from "../cluster.ts";

/** A call of the scenario, by the name it was asked for under. */
export interface Begun {
  readonly key: string;
  readonly capability: string;
  readonly call: string;
}

/** How one run of the scenario goes on with its calls, whatever dies meanwhile. */
export class Story {
  readonly client: LabClient;
  readonly #prefix: string;

  constructor(client: LabClient, prefix: string) {
    this.client = client;
    this.#prefix = prefix;
  }

  /** A name in the outside world that is this run's own. */
  name = (what: string): string => `${what}-${this.#prefix}`;

  begin = async (what: string, capability: string, more: object = {}): Promise<Begun> => {
    return this.place(what, capability, { name: this.name(what), ...more });
  };

  /** With exactly this input. */
  place = async (what: string, capability: string, input: object): Promise<Begun> => {
    return this.#taken(what, capability, input);
  };

  plan = async (what: string, document: PlanRequest): Promise<Begun> => {
    return this.#taken(what, planCapability, document);
  };

  /** The freeze of the run before may still be known to a process for a second after its thaw: asked again until then. */
  async #taken(what: string, capability: string, input: object): Promise<Begun> {
    const key = `${this.#prefix}-${what}`;
    for (let turn = 1; ; turn += 1) {
      const { call, code } = await this.client.call(key, capability, input);
      if (call !== undefined) return { key, capability, call };
      if (code !== "frozen" || turn > 100) throw new Error(`\`${key}\` was not taken: ${code}`);
      await setTimeout(100);
    }
  }

  look = ({ key, capability, call }: Begun, wait = 0) => this.client.look(key, capability, call, wait);

  end = async (begun: Begun) => {
    for (;;) {
      const view = await this.look(begun, 5);
      if (view.state === "closed") return view;
    }
  };

  /** From the asking to the outcome. */
  whole = async (what: string, capability: string, more: object = {}) =>
    this.end(await this.begin(what, capability, more));

  /** Returns the open approval of a call, if it has one. Waits for a slow preview, because approvers are asked after it. */
  asked = async (begun: Begun) => {
    for (let view = await this.look(begun); ; view = await this.look(begun, 1))
      if (view.state !== "previewing" && view.state !== "checking") return view.waiting?.approval;
  };

  decide = async (
    begun: Begun,
    decision: "approve" | "deny" | "return",
    as: keyof Keys = "approver",
    declined: readonly string[] = [],
  ): Promise<void> => {
    const asked = await this.asked(begun);
    if (asked) await this.client.decide(asked.id, decision, asked.digest, as, declined);
  };

  /** Says yes as often as it is asked. */
  approve = async (begun: Begun, ...people: readonly (keyof Keys)[]) => {
    for (;;) {
      for (const person of people) await this.decide(begun, "approve", person);
      const view = await this.look(begun, 1);
      if (view.state === "closed") return view;
    }
  };

  /** The call that took its place: it names it once it is superseded. */
  heir = async (begun: Begun): Promise<Begun | undefined> => {
    const { successor } = await this.look(begun);
    return successor === undefined
      ? undefined
      : { key: successor, capability: begun.capability, call: successor };
  };
}
