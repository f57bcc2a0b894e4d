import type { Fate } from "./crashing.ts";
import { heal } from "./heal.ts";
import { watch } from "./laws.ts";
import { people, Simulation } from "./simulation.ts";
import type { TestSigner } from "./test-signer.ts";

/** One thing that happens; plain data, so that a failing storm can be read, shrunk and run again. */
export type Blow =
  | { readonly kind: "admit"; readonly capability: string; readonly key: string; readonly input: StormInput }
  /** A message arrives: `twice`, it stays in the bag and will arrive again; `early`, its time need not have come. */
  | { readonly kind: "deliver"; readonly pick: number; readonly twice: boolean; readonly early: boolean }
  | { readonly kind: "drop"; readonly pick: number }
  | { readonly kind: "step"; readonly pick: number; readonly fate: Fate }
  | { readonly kind: "kill"; readonly pick: number }
  | {
      readonly kind: "decide";
      readonly pick: number;
      readonly voter: number;
      readonly decision: "approve" | "deny";
      readonly wrongDigest: boolean;
    }
  | { readonly kind: "pass"; readonly ms: number }
  | { readonly kind: "move"; readonly target: string }
  | { readonly kind: "sweep" }
  | { readonly kind: "wipe" };

export interface StormInput {
  readonly target: string;
  readonly locks: readonly string[];
  readonly acts: readonly string[];
  readonly looks: readonly string[];
  readonly probes: readonly string[];
}

export interface Storm {
  /** Each blow, and how many of those who stand at gates go on after it. */
  readonly blows: readonly { readonly blow: Blow; readonly then: readonly number[] }[];
  /** Who carries on afterwards: the engine, the sweeper, or both. */
  readonly after: { readonly engine: boolean; readonly sweeper: boolean };
}

/** Runs a storm to its end and lets everything heal. */
export async function weather(
  storm: Storm,
  signer: TestSigner,
  turnOfEvents: () => Promise<void>,
): Promise<Simulation> {
  const sim = new Simulation("storm", signer, turnOfEvents);
  watch(sim);
  for (const { blow, then } of storm.blows) {
    await strike(sim, blow);
    await sim.settle();
    for (const pick of then) await sim.step(pick);
    nobodyAsksWithLocks(sim);
  }
  if (!(await heal(sim, storm.after))) sim.faults.push("[P2] never came to rest");
  return sim;
}

/** People may take a day to answer: a call that asks them must not keep others waiting for its locks. */
function nobodyAsksWithLocks(sim: Simulation): void {
  for (const { tenant, call, state } of sim.store.rows()) {
    const holds = sim.store
      .locksOf(tenant)
      .held()
      .some((lock) => lock.call === call);
    if (state === "asking" && holds) sim.faults.push(`[locks] ${call} asks people and keeps its locks`);
  }
}

async function strike(sim: Simulation, blow: Blow): Promise<void> {
  switch (blow.kind) {
    case "admit":
      return sim.admit(blow.capability, blow.key, { ...blow.input });
    case "deliver": {
      const now = sim.clock.now();
      const able = blow.early ? sim.bag : sim.bag.filter(({ at }) => (at ?? now) <= now);
      const wake = able.at(blow.pick % Math.max(1, able.length));
      if (!wake) return;
      if (!blow.twice) sim.bag = sim.bag.filter((other) => other !== wake);
      return sim.deliver(wake);
    }
    case "drop":
      sim.bag.splice(blow.pick % Math.max(1, sim.bag.length), 1);
      return;
    case "step":
      return sim.step(blow.pick, blow.fate);
    case "kill":
      return sim.kill(blow.pick);
    case "decide":
      return answer(sim, blow);
    case "pass":
      return sim.pass(blow.ms);
    case "move":
      return sim.outside.move(blow.target);
    case "sweep":
      return sim.sweep();
    case "wipe":
      sim.bag = [];
      return;
  }
}

/** Somebody answers one of the calls that were ever asked about; mostly one that is still open. */
function answer(sim: Simulation, blow: Extract<Blow, { kind: "decide" }>): void {
  const asked = sim.store.calls().filter(({ approval }) => approval !== undefined);
  const open = asked.filter(({ approval }) => approval?.status === "open");
  const among = open.length > 0 && blow.pick % 4 !== 0 ? open : asked;
  const call = among.at(blow.pick % Math.max(1, among.length));
  if (!call?.approval) return;
  const digest = blow.wrongDigest ? "0".repeat(64) : call.approval.digest;
  sim.decide(call, people[blow.voter % people.length]!, blow.decision, digest);
}
