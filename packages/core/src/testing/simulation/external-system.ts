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
 * The ways in which an attempt can run:
 * `ok` acts immediately, and `slow` acts after a while.
 * `before` and `after` break the connection before or after the effect.
 * `late` breaks the connection while the request is on its way, and the effect lands afterwards.
 * `hang` never returns.
 * `garbage` acts and returns an output that violates the contract.
 * `hostile` throws an error that is hard to record.
 */
export const actKinds = [
  ...["ok", "slow", "not-performed", "before", "after", "late"],
  ...["hang", "permanent", "garbage", "hostile"],
] as const;

/**
 * The kinds of preview. `patience` takes longer than admission waits, and `away` fails with an error that allows a
 * retry.
 */
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

/** The process that runs a capability, as the external system sees it. The test can stop it at any gate. */
export interface ExternalHost {
  gate(label: string): Promise<void>;
  readonly alive: () => boolean;
}

/** One effect that the external system performed. */
export interface EffectRecord {
  readonly call: string;
  readonly capability: string;
  readonly attempt: number;
  readonly at: number;
  readonly basis: Json | undefined;
  /** Whether the effect landed after the attempt that sent it had ended. */
  readonly late: boolean;
}

/** The lifetime of an idempotency key in the external system. It is a little longer than contracts assume. */
const keyLifetimeMs = 24 * 3_600_000;

/** A simulated external system. It knows which effects really happened, independently of the rows. */
export class ExternalSystem {
  readonly effects: EffectRecord[] = [];
  readonly faults: string[] = [];
  /** Receives each effect before it is recorded, so that a test can check the rows at that moment. */
  onEffect: (effect: EffectRecord) => void = () => {};
  /** Receives the basis of each preview that was answered. */
  onPreview: (call: string, basis: Json) => void = () => {};
  readonly #clock: VirtualClock;
  readonly #basis = new Map<string, number>();
  readonly #keys = new Map<string, number>();
  readonly #turns = new Map<string, number>();
  readonly #running = new Set<{
    call: string;
    locks: readonly string[];
    signal: AbortSignal;
    host: ExternalHost;
  }>();

  constructor(clock: VirtualClock) {
    this.#clock = clock;
  }

  /** Changes the state that previews of this target depend on, as another client of the external system would. */
  changeTarget(target: string): void {
    this.#basis.set(target, this.#version(target) + 1);
  }

  /** Creates the capabilities of this external system for one process. */
  createCapabilities(host: ExternalHost, version = 1): Capability[] {
    return (version === 1 ? externalCapabilities : nextVersionCapabilities).map((base) => ({
      ...base,
      ...(base.preview && {
        preview: (given: Json, context: ExecutionContext) => this.#preview(toOutsideInput(given), context),
      }),
      ...(base.probe && {
        probe: (given: Json, context: ExecutionContext) => this.#probe(toOutsideInput(given), context),
      }),
      apply: (given: Json, context: ExecutionContext) =>
        this.#apply(base, toOutsideInput(given), context, host),
    }));
  }

  async #apply(
    capability: Capability,
    given: OutsideInput,
    context: ExecutionContext,
    host: ExternalHost,
  ): Promise<unknown> {
    const run = { call: context.call, locks: given.locks, signal: context.signal, host };
    // A read writes no intent, so it may run twice. The fence drops the result of one run.
    if (capability.contract.effect !== "read") {
      this.#noOverlap(run);
      this.#running.add(run);
    }
    try {
      await host.gate("apply");
      return await this.#act(capability, given, context, host);
    } finally {
      this.#running.delete(run);
    }
  }

  async #act(
    capability: Capability,
    given: OutsideInput,
    context: ExecutionContext,
    host: ExternalHost,
  ): Promise<unknown> {
    const act = this.#turn(context, "act", given.acts);
    if (act === "slow") await this.#clock.sleep(10_000);
    if (act === "hang") return waitForever();
    if (act === "not-performed") throw new CapabilityError("not-performed", "busy", "come back later");
    if (act === "before") throw createConnectionError();
    if (act === "permanent") throw new CapabilityError("permanent", "no-account", "no such account");
    if (act === "hostile") throw Object.assign(new Error("half a \ud83d pair"), { code: "constructor" });
    const effect = () => this.#effect(capability, given, context, act === "late");
    if (act === "late") {
      this.#clock.schedule(this.#clock.now() + 45_000, () => {
        try {
          effect();
        } catch {
          // The external system rejected the request, and the attempt that sent it ended long ago.
        }
      });
      throw createConnectionError();
    }
    // Code whose signal is aborted, or whose process is dead, no longer acts.
    if (context.signal.aborted || !host.alive()) return waitForever();
    effect();
    await host.gate("effect");
    if (act === "after") throw createConnectionError();
    return act === "garbage" ? { nothing: "of the kind" } : { done: context.call };
  }

  #effect(capability: Capability, given: OutsideInput, context: ExecutionContext, late: boolean): void {
    const { name, effect, idempotency } = capability.contract;
    if (effect === "read") return;
    const at = this.#clock.now();
    if (idempotency === "keyed") {
      const known = this.#keys.get(context.key);
      if (known !== undefined && at - known < keyLifetimeMs) return;
      this.#keys.set(context.key, at);
    }
    if (idempotency === "probe" && context.basis !== this.#version(given.target))
      throw new CapabilityError("permanent", "basis-changed", "the precondition does not hold");
    const record = {
      call: context.call,
      capability: name,
      attempt: context.attempt,
      at,
      basis: context.basis,
      late,
    };
    this.onEffect(record);
    this.effects.push(record);
    this.changeTarget(given.target);
  }

  async #preview(given: OutsideInput, context: ExecutionContext): Promise<Preview> {
    const look = this.#turn(context, "look", given.looks);
    if (look === "patience") await this.#clock.sleep(3_000);
    if (look === "hang") return waitForever();
    if (look === "away") throw new CapabilityError("not-performed", "away", "come back later");
    if (look === "throws") throw "not even an error";
    const basis = this.#version(given.target);
    this.onPreview(context.call, basis);
    return { changes: [{ kind: "update", target: given.target }], basis };
  }

  async #probe(given: OutsideInput, context: ExecutionContext): Promise<Probe> {
    const probe = this.#turn(context, "probe", given.probes);
    if (probe === "unsure") return { kind: "unsure" };
    if (probe === "odd") return { kind: "who knows" } as unknown as Probe;
    if (probe === "away") throw createConnectionError();
    if (probe === "throws") throw new Error("no such endpoint");
    const present = this.effects.some(({ call }) => call === context.call);
    return present ? { kind: "present", output: { done: context.call } } : { kind: "absent" };
  }

  /** Returns the next entry of a call's script, or `ok` after the last entry. */
  #turn(context: ExecutionContext, what: string, script: readonly string[]): string {
    const name = `${what} ${context.call}`;
    const turn = this.#turns.get(name) ?? 0;
    this.#turns.set(name, turn + 1);
    return script[turn] ?? "ok";
  }

  #version(target: string): number {
    return this.#basis.get(target) ?? 0;
  }

  /** Checks that no two running attempts share a lock key or belong to the same call. */
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
    // In this system, a capability that cannot be repeated cannot be undone either.
    ...(options.effect !== "read" &&
      idempotency !== "none" && {
        undo: ({ target, locks }: OutsideInput) => ({
          capability: "natural.allowed",
          input: { target, locks },
        }),
      }),
  });
}

/** Creates one capability of every kind of contract: allowed and asked about, with and without a preview. */
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

/** The contracts of every capability that an `ExternalSystem` has. */
export const externalCapabilities = createEveryKind(1);

/** The same capabilities under contracts of the next version, as after a deploy. */
const nextVersionCapabilities = createEveryKind(2);

/** The rules of a plain policy for the capabilities of an `ExternalSystem`. */
export const externalRules = Object.fromEntries(
  externalCapabilities.map(({ contract: { name } }) => {
    if (name.endsWith(".blocked")) return [name, "block"];
    if (name.endsWith(".allowed")) return [name, "allow"];
    return [name, { ask: name.endsWith("_twice") ? 2 : 1 }];
  }),
) as Readonly<Record<string, "allow" | "block" | { ask: number }>>;
