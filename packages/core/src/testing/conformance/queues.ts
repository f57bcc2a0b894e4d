import { SeededRandom } from "../seeded-random.ts";
import type { ConformanceSuite } from "./harness.ts";
import type { StoreFixture } from "./store-fixture.ts";

const keySets = [["a"], ["b"], ["a", "b"], ["b", "c"], ["a", "c"], ["a", "b", "c"], ["d"], ["c", "d"]];

/**
 * Tests that every call gets its turn without the sweeper. The wakes that the store returns when a call releases its
 * keys must be enough. This holds for every order in which calls arrive, are woken, finish and leave the queue.
 */
export const queueSuite: ConformanceSuite = (prove, expect) => {
  for (const order of listPermutations([0, 1, 2])) {
    prove(`no wake-up is lost when calls arrive in the order ${order.join(", ")}`, async (fixture) => {
      const sets = [
        ["a", "b"],
        ["b", "c"],
        ["a", "c"],
      ];
      const run = new QueueRun(fixture, new SeededRandom(order.join("")));
      for (const index of order) await run.arrive(sets[index]!);
      expect(await run.finishAll()).toEqual([]);
    });
  }

  for (let seed = 1; seed <= 12; seed += 1) {
    prove(`no wake-up is lost and no key has two holders (seed ${seed})`, async (fixture) => {
      const random = new SeededRandom(`queues ${seed}`);
      const run = new QueueRun(fixture, random);
      for (let arrived = 0; arrived < 10; ) {
        if (random.chance() < 0.5) {
          await run.arrive(random.pick(keySets));
          arrived += 1;
        } else await run.step();
      }
      expect(await run.finishAll()).toEqual([]);
    });
  }
};

interface Contender {
  readonly call: string;
  readonly keys: readonly string[];
  at: "woken" | "queued" | "holding" | "gone";
}

class QueueRun {
  readonly #bench: StoreFixture;
  readonly #random: SeededRandom;
  readonly #contenders: Contender[] = [];

  constructor(fixture: StoreFixture, random: SeededRandom) {
    this.#bench = fixture;
    this.#random = random;
  }

  async arrive(keys: readonly string[]): Promise<void> {
    const { call } = await this.#bench.open({ lockKeys: keys });
    const contender: Contender = { call, keys, at: "woken" };
    this.#contenders.push(contender);
    if (this.#random.chance() < 0.7) await this.#lock(contender);
  }

  /** Lets one contender act without the sweeper. Returns false if no contender can act. */
  async step(): Promise<boolean> {
    const able = this.#contenders.filter(({ at }) => at === "woken" || at === "holding");
    if (able.length === 0) return false;
    const queued = this.#contenders.filter(({ at }) => at === "queued");
    if (queued.length > 0 && this.#random.chance() < 0.1) await this.#leave(this.#random.pick(queued));
    else {
      const contender = this.#random.pick(able);
      await (contender.at === "woken" ? this.#lock(contender) : this.#leave(contender));
    }
    return true;
  }

  /** Runs until no contender can act, and returns the calls that never got their turn. */
  async finishAll(): Promise<string[]> {
    while (await this.step());
    return this.#contenders.filter(({ at }) => at !== "gone").map(({ call }) => call);
  }

  async #lock(contender: Contender): Promise<void> {
    const { kind } = await this.#bench.lock(contender.call);
    contender.at = kind === "held" ? "holding" : "queued";
    if (kind === "held") this.#nobodyElseHolds(contender);
  }

  async #leave(contender: Contender): Promise<void> {
    const closed = await this.#bench.close(contender.call);
    contender.at = "gone";
    if (closed.kind !== "done") throw new Error(`closing ended ${closed.kind}`);
    for (const { call } of closed.wake) {
      const woken = this.#contenders.find((candidate) => candidate.call === call);
      if (woken?.at === "queued") woken.at = "woken";
    }
  }

  #nobodyElseHolds({ call, keys }: Contender): void {
    const clash = this.#contenders.find(
      (other) =>
        other.at === "holding" && other.call !== call && other.keys.some((key) => keys.includes(key)),
    );
    if (clash) throw new Error(`${call} and ${clash.call} hold one key`);
  }
}

function listPermutations(items: readonly number[]): number[][] {
  if (items.length <= 1) return [[...items]];
  return items.flatMap((item) =>
    listPermutations(items.filter((other) => other !== item)).map((rest) => [item, ...rest]),
  );
}
