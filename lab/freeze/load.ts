import { setTimeout as sleep } from "node:timers/promises";
import type { LabClient } from "../lab-client.ts";
import { botIds } from "../lab-cluster.ts";

const loadProfile = [
  ...["free.keyed", "free.keyed", "free.keyed", "free.probe", "free.natural", "free.none", "free.read"],
  ...["asked.keyed", "asked.keyed", "asked.natural"],
] as const;
const callers = ["agent", ...botIds] as const;

interface LoadRequest {
  readonly key: string;
  readonly capability: (typeof loadProfile)[number];
  readonly name: string;
  readonly as: (typeof callers)[number];
}

/**
 * A load of calls by several agents. It mixes reads and writes, and calls with and without an approval. Some calls are
 * slow enough to be in flight when a freeze begins.
 */
export class FreezeLoad {
  readonly #client: LabClient;
  readonly #chance: () => number;
  readonly #underWay = new Set<Promise<void>>();
  readonly #refused: LoadRequest[] = [];
  #number = 0;
  #going = false;

  constructor(client: LabClient, chance: () => number) {
    this.#client = client;
    this.#chance = chance;
  }

  /** Measures how many calls per second end at full concurrency. */
  async measureMaxRate(ms: number): Promise<number> {
    const began = performance.now();
    let ended = 0;
    const caller = async () => {
      while (performance.now() - began < ms) {
        await this.#run(this.#draw(), 0);
        ended += 1;
      }
    };
    await Promise.all(Array.from({ length: 32 }, caller));
    return (ended * 1_000) / (performance.now() - began);
  }

  /**
   * Starts this many calls per second until stopped, whether or not earlier calls have ended. It then repeats what was
   * refused because of a freeze, as agents do. Paraph may have accepted such a call before the freeze, in a process that
   * died before it answered.
   */
  async run(perSecond: number): Promise<void> {
    this.#going = true;
    const began = performance.now();
    for (let due = 1; this.#going; due += 1) {
      const wait = (due * 1_000) / perSecond - (performance.now() - began);
      if (wait > 0) await sleep(wait);
      if (this.#underWay.size >= maxInFlight) continue;
      const one = this.#run(this.#draw(), this.#chance() * maxAnswerDelayMs).finally(() =>
        this.#underWay.delete(one),
      );
      this.#underWay.add(one);
    }
    await Promise.all(this.#underWay);
    const refused = this.#refused.splice(0).values();
    const caller = async () => {
      for (const request of refused) await this.#run(request, 0);
    };
    await Promise.all(Array.from({ length: 32 }, caller));
  }

  stop(): void {
    this.#going = false;
  }

  #draw(): LoadRequest {
    const number = ++this.#number;
    return {
      key: `load${number}`,
      capability: drawOne(loadProfile, this.#chance),
      name: this.#chance() < 0.3 ? `slow-${number}` : `n${number}`,
      as: drawOne(callers, this.#chance),
    };
  }

  /** Runs one call to its end. An approver approves it after a while. */
  async #run(request: LoadRequest, answerAfterMs: number): Promise<void> {
    const { key, capability, name, as } = request;
    let view = await this.#client.call(key, capability, { name }, { as });
    const { call } = view;
    // The subject is frozen.
    if (call === undefined) {
      this.#refused.push(request);
      return;
    }
    const patience = performance.now() + hangMs;
    while (view.state !== "closed" && performance.now() < patience) {
      const asked = view.waiting?.approval;
      if (asked) {
        await sleep(answerAfterMs);
        await this.#client.decide(asked.id, "approve", asked.digest);
      }
      view = await this.#client.getCall(key, capability, call, 5);
    }
  }
}

/** The limit of a hang, not a claim about speed: a call that no approver decides would be open at the end. */
const hangMs = 600_000;
const maxInFlight = 200;
const maxAnswerDelayMs = 1_500;

function drawOne<T>(items: readonly T[], chance: () => number): T {
  return items[Math.floor(chance() * items.length)]!;
}
