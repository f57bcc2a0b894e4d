import { setTimeout } from "node:timers/promises";
import { type PlanRequest, planCapability } from "@paraph/core";
import type { LabClient } from "../lab-client.ts";
import type { LabKeys } from "../lab-cluster.ts";

/** A call of the scenario, with the idempotency key under which it was requested. */
export interface StartedCall {
  readonly key: string;
  readonly capability: string;
  readonly call: string;
}

/** One run of the scenario. It continues its calls even if a process dies meanwhile. */
export class ScenarioRun {
  readonly client: LabClient;
  readonly #prefix: string;

  constructor(client: LabClient, prefix: string) {
    this.client = client;
    this.#prefix = prefix;
  }

  /** Returns a name for use at the oracle. Only this run uses the name. */
  name = (what: string): string => `${what}-${this.#prefix}`;

  begin = async (what: string, capability: string, more: object = {}): Promise<StartedCall> => {
    return this.place(what, capability, { name: this.name(what), ...more });
  };

  /** Requests a call with exactly this input. */
  place = async (what: string, capability: string, input: object): Promise<StartedCall> => {
    return this.#taken(what, capability, input);
  };

  plan = async (what: string, document: PlanRequest): Promise<StartedCall> => {
    return this.#taken(what, planCapability, document);
  };

  /**
   * Requests a call, and repeats the request while the subject is still frozen. A process may still apply the freeze of
   * the previous run for a second after the thaw.
   */
  async #taken(what: string, capability: string, input: object): Promise<StartedCall> {
    const key = `${this.#prefix}-${what}`;
    for (let turn = 1; ; turn += 1) {
      const { call, code } = await this.client.call(key, capability, input);
      if (call !== undefined) return { key, capability, call };
      if (code !== "frozen" || turn > 100) throw new Error(`\`${key}\` was not taken: ${code}`);
      await setTimeout(100);
    }
  }

  getCall = ({ key, capability, call }: StartedCall, wait = 0) =>
    this.client.getCall(key, capability, call, wait);

  waitForEnd = async (started: StartedCall) => {
    for (;;) {
      const view = await this.getCall(started, 5);
      if (view.state === "closed") return view;
    }
  };

  /** Requests a call and waits for its outcome. */
  run = async (what: string, capability: string, more: object = {}) =>
    this.waitForEnd(await this.begin(what, capability, more));

  /**
   * Returns the call's current approval, if there is one. Paraph requests an approval only after the preview and the
   * checks, so this function waits until both have ended.
   */
  findApproval = async (started: StartedCall) => {
    for (let view = await this.getCall(started); ; view = await this.getCall(started, 1))
      if (view.state !== "previewing" && view.state !== "checking") return view.waiting?.approval;
  };

  decide = async (
    started: StartedCall,
    decision: "approve" | "deny" | "return",
    as: keyof LabKeys = "approver",
    declined: readonly string[] = [],
  ): Promise<void> => {
    const asked = await this.findApproval(started);
    if (asked) await this.client.decide(asked.id, decision, asked.digest, as, declined);
  };

  /** Approves every round until the call has ended. */
  approve = async (started: StartedCall, ...people: readonly (keyof LabKeys)[]) => {
    for (;;) {
      for (const person of people) await this.decide(started, "approve", person);
      const view = await this.getCall(started, 1);
      if (view.state === "closed") return view;
    }
  };

  /** Returns the call that superseded this one, if there is one. */
  findSuccessor = async (started: StartedCall): Promise<StartedCall | undefined> => {
    const { successor } = await this.getCall(started);
    return successor === undefined
      ? undefined
      : { key: successor, capability: started.capability, call: successor };
  };
}
