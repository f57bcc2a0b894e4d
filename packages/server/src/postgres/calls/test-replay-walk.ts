import {
  admit,
  advance,
  type Call,
  CallLinks,
  Catalog,
  decide,
  edit,
  enforceAll,
  type Json,
  ParaphError,
  type Ports,
  type Principal,
  probeAgain,
  reassign,
  recordReveal,
  resolveUnknown,
  type Sealer,
  type Signer,
  withdrawCall,
} from "@paraph/core";
import {
  createPlainPolicy,
  ExternalSystem,
  externalRules,
  SeededRandom,
  VirtualClock,
} from "@paraph/core/testing";
import { createFreezeStore } from "../policy/freezes.ts";
import { createMessageStore } from "./messages.ts";
import type { PostgresStore } from "./store.ts";

type Pool = Parameters<typeof createMessageStore>[0];

export const walkTenant = "acme";
const agent: Principal = { tenant: walkTenant, id: "agent", kind: "agent", owner: "owner" };
export const walkPeople = ["owner", "ana", "bo"];
const person = (id: string): Principal => ({ tenant: walkTenant, id, kind: "person" });

interface WalkDeps {
  readonly app: Pool;
  readonly store: PostgresStore;
  readonly signer: Signer & Sealer;
  /** Sets the database's clock. */
  readonly setTime: (at: number) => Promise<void>;
}

/** A clock that all participants share. Its `sleep` advances the time for all of them. */
class AutoAdvancingClock extends VirtualClock {
  override async sleep(ms: number): Promise<void> {
    await this.advance(ms);
  }
}

/**
 * A random walk that runs calls of every kind, one step after another. A seed decides the order. The steps request,
 * decide, edit, withdraw, freeze, advance, comment on and resolve calls. The walk leaves rows of every kind in every
 * state.
 */
export class RandomWalk {
  readonly #world: WalkDeps;
  readonly #random: SeededRandom;
  readonly #clock = new AutoAdvancingClock();
  readonly #ports: Ports;
  readonly #calls: string[] = [];
  #freeze: string | undefined;

  constructor(seed: string, world: WalkDeps) {
    this.#world = world;
    this.#random = new SeededRandom(seed);
    const outside = new ExternalSystem(this.#clock);
    const host = { gate: async () => {}, alive: () => true };
    this.#ports = {
      store: world.store,
      signer: world.signer,
      sealer: world.signer,
      links: new CallLinks(),
      clock: this.#clock,
      random: this.#random,
      catalog: new Catalog(outside.createCapabilities(host)),
      policy: createPlainPolicy(externalRules),
      freezes: { inForce: async () => undefined },
      credentials: { resolve: async () => "" },
      telemetry: { span: (_name, _about, body) => body(), measure: () => {} },
      settings: {
        askMs: { low: 86_400_000, normal: 86_400_000, high: 14_400_000, critical: 900_000 },
        escalation: {
          low: [],
          normal: [{ afterMs: 3_600_000 }, { afterMs: 7_200_000, group: "leads" }],
          high: [],
          critical: [],
        },
        acknowledgeMs: 900_000,
        previewPatienceMs: 2_000,
        sweepGraceMs: 5_000,
        maxDenials: 1_000,
        enforcement: enforceAll,
        limits: () => [{ id: "busy", kind: "concurrency", key: "busy", windowMs: 0, max: 1_000, amount: 1 }],
      },
    };
  }

  async run(steps: number): Promise<void> {
    await this.#world.setTime(this.#clock.now());
    for (let step = 0; step < steps; step += 1) {
      const what = this.#random.pick(this.#steps);
      try {
        await what();
        await this.#world.setTime(this.#clock.now());
      } catch (error) {
        // The random steps may be invalid, so a `ParaphError` is expected.
        if (!(error instanceof ParaphError)) throw error;
      }
    }
  }

  /**
   * Leaves at least one call in every state and one event of each kind, even if the random steps did not reach them.
   */
  async leaveOneOfEach(): Promise<void> {
    if (this.#freeze !== undefined) await this.#freezeOrThaw();
    const at = this.#world.setTime;
    const hour = 3_600_000;
    const call = async (capability: string, lock: string, act = "ok") => {
      await this.#ask(capability, { target: lock, locks: [lock], acts: [act] });
      await at(this.#clock.now());
      return { tenant: walkTenant, call: this.#calls.at(-1)! };
    };
    const asked = await call("natural.asked", "asked");
    await this.#note();
    for (const _step of ["reminded", "escalated"]) {
      await this.#moveTo(this.#clock.now() + hour);
      await advance(asked, this.#ports);
    }
    await withdrawCall({ ...(await call("natural.asked", "taken back")), by: agent }, this.#ports);
    const { id: approval = "", digest = "" } =
      (await this.#load((await call("natural.asked", "denied")).call))?.approval ?? {};
    await decide({ approval, digest, voter: person("bo"), decision: "deny" }, this.#ports);
    await advance(await call("natural.allowed", "delayed", "not-performed"), this.#ports);
    const found = await call("none.allowed", "found out about", "after");
    await advance(found, this.#ports);
    const findings = { finding: "not-happened", reason: "I looked.", by: person("ana") } as const;
    await resolveUnknown({ ...findings, call: found.call }, this.#ports);
    for (const act of ["after", "ok"]) await advance(await call("none.allowed", "kept", act), this.#ports);
    await call("natural.allowed", "ready");
    const parked = await call("natural.allowed", "parked");
    await this.#freezeOrThaw();
    await advance(parked, this.#ports);
  }

  readonly #steps: readonly (() => Promise<unknown>)[] = [
    ...Array.from({ length: 3 }, () => () => this.#ask()),
    ...Array.from({ length: 6 }, () => () => this.#advance()),
    ...Array.from({ length: 5 }, () => () => this.#decide()),
    () => this.#edit(),
    () => this.#withdraw(),
    () => this.#freezeOrThaw(),
    () => this.#note(),
    () => this.#findOut(),
    () => this.#pass(),
  ];

  async #moveTo(at: number): Promise<void> {
    await this.#clock.advance(Math.max(0, at - this.#clock.now()));
    await this.#world.setTime(this.#clock.now());
  }

  async #ask(
    capability = this.#random.pick(Object.keys(externalRules)),
    input = this.#input(),
  ): Promise<void> {
    const { pick } = this.#choices();
    const here = this.#random.chance() < 0.5;
    const { call } = await admit(
      {
        principal: this.#random.chance() < 0.2 ? { ...agent, onBehalfOf: "bo" } : agent,
        capability,
        input,
        session: { session: pick(["s1", "s2"]) },
        purpose: "to see",
        key: `k${this.#calls.length}`,
      },
      this.#ports,
      () => here,
    );
    this.#calls.push(call.call);
  }

  #input(): Json {
    const { pick, some } = this.#choices();
    return {
      target: pick(["t1", "t2"]),
      locks: some(["a", "b"]),
      acts: [pick(["ok", "ok", "not-performed", "before", "after", "after", "permanent", "garbage"])],
      looks: [pick(["ok", "ok", "ok", "ok", "patience", "away", "throws"])],
      probes: [pick(["sure", "unsure"])],
    };
  }

  async #advance(): Promise<void> {
    const call = this.#choices().pick(this.#recent());
    if (call !== undefined) await advance({ tenant: walkTenant, call }, this.#ports);
  }

  async #decide(): Promise<void> {
    const { pick } = this.#choices();
    const { approval } = (await this.#asked()) ?? {};
    if (!approval) return;
    const decision = pick(["approve", "approve", "approve", "deny", "return"] as const);
    await decide(
      {
        approval: approval.id,
        digest: approval.digest,
        decision,
        reason: "so",
        voter: person(pick(walkPeople)),
      },
      this.#ports,
    );
  }

  async #edit(): Promise<void> {
    const { approval } = (await this.#asked()) ?? {};
    if (!approval) return;
    const given = { approval: approval.id, digest: approval.digest, editor: person("ana") };
    const { call } = await edit({ ...given, input: this.#input() }, this.#ports);
    this.#calls.push(call.call);
  }

  async #withdraw(): Promise<void> {
    const call = this.#choices().pick(this.#recent());
    if (call !== undefined) await withdrawCall({ call, by: agent, reason: "never mind" }, this.#ports);
  }

  async #freezeOrThaw(): Promise<void> {
    const freezes = createFreezeStore(this.#world.app);
    if (this.#freeze !== undefined) {
      await freezes.thaw(walkTenant, this.#freeze, "owner");
      this.#freeze = undefined;
      return;
    }
    this.#freeze = this.#random.id("ask");
    await freezes.freeze(walkTenant, {
      id: this.#freeze,
      kind: "principal",
      subject: agent.id,
      by: "owner",
    });
  }

  async #note(): Promise<void> {
    const { pick } = this.#choices();
    const asked = await this.#asked();
    if (!asked?.approval) return;
    const { call, approval } = asked;
    const about = { approval: approval.id, digest: approval.digest };
    await createMessageStore(this.#world.app).append(walkTenant, {
      id: this.#random.id("ask"),
      call,
      by: "ana",
      kind: "question",
      text: "Why?",
      salt: "00",
    });
    await recordReveal(
      { call: { tenant: walkTenant, call }, by: person(pick(walkPeople)), paths: ["target"] },
      this.#ports,
    );
    await reassign({ ...about, by: person("ana"), to: "bo" }, this.#ports);
  }

  async #findOut(): Promise<void> {
    const { pick } = this.#choices();
    for (const call of this.#recent()) {
      const { outcome, resolution } = (await this.#load(call)) ?? {};
      if (outcome?.kind !== "unknown" || resolution) continue;
      if (this.#random.chance() < 0.5) await probeAgain({ call, by: person("ana") }, this.#ports);
      const finding = pick(["happened", "not-happened"] as const);
      await resolveUnknown({ call, by: person("ana"), finding, reason: "I looked." }, this.#ports);
      return;
    }
  }

  async #pass(): Promise<void> {
    await this.#moveTo(this.#clock.now() + this.#choices().pick([1_000, 60_000, 3_700_000, 40_000_000]));
  }

  async #asked(): Promise<Call | undefined> {
    const calls = await Promise.all(this.#recent().map((call) => this.#load(call)));
    const asked = calls.filter((call) => call?.approval?.status === "open");
    return asked.length === 0 ? undefined : this.#choices().pick(asked);
  }

  /** Returns the recent calls. The random steps act only on these. */
  #recent(): readonly string[] {
    return this.#calls.slice(-10);
  }

  #load(call: string): Promise<Call | undefined> {
    return this.#world.store.load({ tenant: walkTenant, call });
  }

  #choices() {
    return {
      pick: <T>(items: readonly T[]): T => this.#random.pick(items),
      some: <T>(items: readonly T[]): T[] => items.filter(() => this.#random.chance() < 0.6),
    };
  }
}
