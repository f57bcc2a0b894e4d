import { z } from "zod";
import {
  type Capability,
  defineCapability,
  type ExecutionContext,
  type Preview,
  type Probe,
} from "../../capability/capability.ts";
import type { Idempotency } from "../../capability/contract.ts";
import { CapabilityError } from "../../capability/fault.ts";
import type { Json } from "../../json.ts";
import type { VirtualClock } from "../virtual-clock.ts";
import { waitForever } from "./crashing-store.ts";

/**
 * What an attempt does: `ok` acts at once, `slow` after a while; `before` and `after` break the connection
 * before and after the effect; `late` breaks it while the request still travels and lands afterwards;
 * `hang` never answers; `garbage` acts and answers what its contract does not promise; `hostile`
 * throws what can hardly be written down.
 */
export const actKinds = [
  ...["ok", "slow", "not-performed", "before", "after", "late"],
  ...["hang", "permanent", "garbage", "hostile"],
] as const;

/** What a look does: `patience` outlasts admission's patience, `away` can be retried. */
export const previewKinds = ["ok", "patience", "hang", "away", "throws"] as const;
export const probeKinds = ["sure", "unsure", "away", "throws", "odd"] as const;

const input = z.object({
  target: z.string(),
  locks: z.array(z.string()).default([]),
  acts: z.array(z.string()).default([]),
  looks: z.array(z.string()).default([]),
  probes: z.array(z.string()).default([]),
});
export type OutsideInput = z.output<typeof input>;

/** The process a capability runs in, as far as the outside can tell: it may be stopped at any gate. */
export interface OutsideHost {
  gate(label: string): Promise<void>;
  readonly alive: () => boolean;
}

export interface EffectRecord {
  readonly call: string;
  readonly capability: string;
  readonly attempt: number;
  readonly at: number;
  readonly basis: Json | undefined;
  /** It landed after the attempt that sent it had ended. */
  readonly late: boolean;
}

/** The outside forgets keys somewhat later than contracts rely on it. */
const keyLifetimeMs = 24 * 3_600_000;

/** A simulated outside system: it knows what really happened, whatever the rows say. */
export class OutsideSystem {
  readonly effects: EffectRecord[] = [];
  readonly faults: string[] = [];
  /** Told of each effect before it counts, to hold the rows to their promises at that very moment. */
  onEffect: (effect: EffectRecord) => void = () => {};
  /** Told of each look that was answered. */
  onPreview: (call: string, basis: Json) => void = () => {};
  readonly #clock: VirtualClock;
  readonly #basis = new Map<string, number>();
  readonly #keys = new Map<string, number>();
  readonly #turns = new Map<string, number>();
  readonly #running = new Set<{
    call: string;
    locks: readonly string[];
    signal: AbortSignal;
    host: OutsideHost;
  }>();

  constructor(clock: VirtualClock) {
    this.#clock = clock;
  }

  /** Somebody else changes what a preview rests on. */
  changeTarget(target: string): void {
    this.#basis.set(target, this.#version(target) + 1);
  }

  /** The capabilities of this outside, as carried out by one process. */
  createCapabilities(host: OutsideHost, version = 1): Capability[] {
    return (version === 1 ? outsideCapabilities : nextVersionCapabilities).map((base) => ({
      ...base,
      ...(base.preview && {
        preview: (given: Json, world: ExecutionContext) => this.#preview(toOutsideInput(given), world),
      }),
      ...(base.probe && {
        probe: (given: Json, world: ExecutionContext) => this.#probe(toOutsideInput(given), world),
      }),
      apply: (given: Json, world: ExecutionContext) => this.#apply(base, toOutsideInput(given), world, host),
    }));
  }

  async #apply(
    capability: Capability,
    given: OutsideInput,
    world: ExecutionContext,
    host: OutsideHost,
  ): Promise<unknown> {
    const run = { call: world.call, locks: given.locks, signal: world.signal, host };
    // A read writes no intent, so it may run twice; whichever loses the fence is never heard of.
    if (capability.contract.effect !== "read") {
      this.#noOverlap(run);
      this.#running.add(run);
    }
    try {
      await host.gate("apply");
      return await this.#act(capability, given, world, host);
    } finally {
      this.#running.delete(run);
    }
  }

  async #act(
    capability: Capability,
    given: OutsideInput,
    world: ExecutionContext,
    host: OutsideHost,
  ): Promise<unknown> {
    const act = this.#turn(world, "act", given.acts);
    if (act === "slow") await this.#clock.sleep(10_000);
    if (act === "hang") return waitForever();
    if (act === "not-performed") throw new CapabilityError("not-performed", "busy", "come back later");
    if (act === "before") throw createConnectionError();
    if (act === "permanent") throw new CapabilityError("permanent", "no-account", "no such account");
    if (act === "hostile") throw Object.assign(new Error("half a \ud83d pair"), { code: "constructor" });
    const effect = () => this.#effect(capability, given, world, act === "late");
    if (act === "late") {
      this.#clock.schedule(this.#clock.now() + 45_000, () => {
        try {
          effect();
        } catch {
          // The outside refused a request whose sender is long gone.
        }
      });
      throw createConnectionError();
    }
    // Code that was stopped, or whose process is gone, does not act any more.
    if (world.signal.aborted || !host.alive()) return waitForever();
    effect();
    await host.gate("effect");
    if (act === "after") throw createConnectionError();
    return act === "garbage" ? { nothing: "of the kind" } : { done: world.call };
  }

  #effect(capability: Capability, given: OutsideInput, world: ExecutionContext, late: boolean): void {
    const { name, effect, idempotency } = capability.contract;
    if (effect === "read") return;
    const at = this.#clock.now();
    if (idempotency === "keyed") {
      const known = this.#keys.get(world.key);
      if (known !== undefined && at - known < keyLifetimeMs) return;
      this.#keys.set(world.key, at);
    }
    if (idempotency === "probe" && world.basis !== this.#version(given.target))
      throw new CapabilityError("permanent", "basis-moved", "the precondition does not hold");
    const record = {
      call: world.call,
      capability: name,
      attempt: world.attempt,
      at,
      basis: world.basis,
      late,
    };
    this.onEffect(record);
    this.effects.push(record);
    this.changeTarget(given.target);
  }

  async #preview(given: OutsideInput, world: ExecutionContext): Promise<Preview> {
    const look = this.#turn(world, "look", given.looks);
    if (look === "patience") await this.#clock.sleep(3_000);
    if (look === "hang") return waitForever();
    if (look === "away") throw new CapabilityError("not-performed", "away", "come back later");
    if (look === "throws") throw "not even an error";
    const basis = this.#version(given.target);
    this.onPreview(world.call, basis);
    return { changes: [{ kind: "update", target: given.target }], basis };
  }

  async #probe(given: OutsideInput, world: ExecutionContext): Promise<Probe> {
    const probe = this.#turn(world, "probe", given.probes);
    if (probe === "unsure") return { kind: "unsure" };
    if (probe === "odd") return { kind: "who knows" } as unknown as Probe;
    if (probe === "away") throw createConnectionError();
    if (probe === "throws") throw new Error("no such endpoint");
    const present = this.effects.some(({ call }) => call === world.call);
    return present ? { kind: "present", output: { done: world.call } } : { kind: "absent" };
  }

  /** The next entry of a call's script, and the first choice once the script has run out. */
  #turn(world: ExecutionContext, what: string, script: readonly string[]): string {
    const name = `${what} ${world.call}`;
    const turn = this.#turns.get(name) ?? 0;
    this.#turns.set(name, turn + 1);
    return script[turn] ?? "ok";
  }

  #version(target: string): number {
    return this.#basis.get(target) ?? 0;
  }

  /** Locks: no two attempts that share a key, and no two of one call, are under way at once. */
  #noOverlap(run: { call: string; locks: readonly string[] }): void {
    for (const other of this.#running) {
      if (other.signal.aborted || !other.host.alive()) continue;
      if (other.call === run.call) this.faults.push(`[P7] ${run.call} performs twice at once`);
      else if (other.locks.some((key) => run.locks.includes(key)))
        this.faults.push(`[locks] ${run.call} and ${other.call} perform at once under one key`);
    }
  }
}

function createConnectionError(): Error {
  return Object.assign(new Error("the connection broke"), { code: "ECONNRESET" });
}

const toOutsideInput = (given: Json) => given as unknown as OutsideInput;

function defineOutsideCapability(
  name: string,
  idempotency: Idempotency,
  version: number,
  options: { effect?: "read" | "write"; preview?: boolean; retries?: number } = {},
): Capability {
  const unbound = () => Promise.reject(new Error("bind the capability to a process first"));
  return defineCapability({
    name,
    version,
    summary: `An effect outside, ${idempotency}`,
    effect: options.effect ?? "write",
    idempotency,
    input,
    output: z.object({ done: z.string() }),
    locks: ({ locks }) => locks,
    retry: { retries: options.retries ?? 3 },
    apply: unbound,
    ...(options.preview && { preview: unbound }),
    ...(idempotency === "probe" && { probe: unbound }),
    // What cannot be repeated cannot be undone either, here.
    ...(options.effect !== "read" &&
      idempotency !== "none" && {
        undo: ({ target, locks }: OutsideInput) => ({
          capability: "natural.allowed",
          input: { target, locks },
        }),
      }),
  });
}

/** Every kind of contract, allowed and asked about, with and without a preview. */
function createEveryKind(version: number): readonly Capability[] {
  return [
    defineOutsideCapability("read.allowed", "natural", version, { effect: "read" }),
    defineOutsideCapability("read.asked", "natural", version, { effect: "read", preview: true }),
    defineOutsideCapability("natural.allowed", "natural", version),
    defineOutsideCapability("natural.asked", "natural", version, { preview: true }),
    defineOutsideCapability("keyed.allowed", "keyed", version, { preview: true }),
    defineOutsideCapability("keyed.asked", "keyed", version),
    defineOutsideCapability("keyed.asked_twice", "keyed", version, { preview: true, retries: 1 }),
    defineOutsideCapability("probe.allowed", "probe", version, { preview: true }),
    defineOutsideCapability("probe.asked", "probe", version, { preview: true }),
    defineOutsideCapability("none.allowed", "none", version, { preview: true }),
    defineOutsideCapability("none.asked", "none", version, { preview: true, retries: 0 }),
    defineOutsideCapability("none.blocked", "none", version),
  ];
}

export const outsideCapabilities = createEveryKind(1);

/** The same under contracts of another version, as after a deploy. */
const nextVersionCapabilities = createEveryKind(2);

export const outsideRules = Object.fromEntries(
  outsideCapabilities.map(({ contract: { name } }) => {
    if (name.endsWith(".blocked")) return [name, "block"];
    if (name.endsWith(".allowed")) return [name, "allow"];
    return [name, { ask: name.endsWith("_twice") ? 2 : 1 }];
  }),
) as Readonly<Record<string, "allow" | "block" | { ask: number }>>;
