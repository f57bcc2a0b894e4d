import { Catalog } from "../../capability/catalog.ts";
import type { Json } from "../../json.ts";
import { ParaphError } from "../../paraph-error.ts";
import { admit } from "../../pipeline/admission/admit.ts";
import { advance, continueCall } from "../../pipeline/advance.ts";
import { planApplyCapability } from "../../plan/plan-capability.ts";
import { planCapability } from "../../plan/undo-plan.ts";
import { enforceAll } from "../../policy/ruling.ts";
import type { Ports } from "../../ports.ts";
import type { Principal } from "../../principal.ts";
import { CallLinks } from "../../receipts/call-links.ts";
import type { Wake } from "../../store.ts";
import { ModelStore, type ProcessStore } from "../model/model-store.ts";
import { createPlainPolicy } from "../plain-policy.ts";
import { SeededRandom } from "../seeded-random.ts";
import type { TestSigner } from "../test-signer.ts";
import { VirtualClock } from "../virtual-clock.ts";
import {
  type BoundaryFate,
  createCrashingStore,
  type StoreBoundary,
  StoreUnavailable,
  waitForever,
} from "./crashing-store.ts";
import { type ExternalHost, ExternalSystem, externalRules } from "./external-system.ts";
import { SimulatedFreezes } from "./simulated-freezes.ts";

const simulationPolicy = createPlainPolicy({ ...externalRules, [planCapability]: "allow" });
export const simulationTenant = "acme";
export const simulationAgent: Principal = {
  tenant: simulationTenant,
  id: "agent",
  kind: "agent",
  owner: "owner",
};
export const simulationPeople = ["owner", "ana", "bo", "cy"];

/** A process that is stopped at a gate until the test decides its fate. */
interface PendingStep {
  readonly process: SimulatedProcess;
  readonly settle: (boundaryFate: BoundaryFate) => void;
}

interface SimulatedProcess extends ExternalHost {
  readonly ports: Ports;
  /** The version of every contract with which the process was deployed. */
  readonly version: number;
  readonly die: () => void;
}

/** The result that a caller received for an idempotency key. */
export interface AdmissionRecord {
  readonly key: string;
  readonly input: Json;
  readonly capability: string;
  readonly result: { readonly call: string } | { readonly code: string };
}

/**
 * Several processes around one model store, one external system, and an engine that only holds messages. Every use of
 * the store and every effect stops at a gate. The test decides which process goes on or dies, which message arrives,
 * and how time passes.
 */
export class Simulation {
  readonly clock = new VirtualClock();
  readonly store = new ModelStore(this.clock);
  readonly outside = new ExternalSystem(this.clock);
  readonly admissions: AdmissionRecord[] = [];
  readonly freezes = new SimulatedFreezes(this.store, simulationTenant, () => this.clock.now());
  /** The violations that the simulation noticed while it ran. */
  readonly faults: string[] = [];
  /** The boundaries at which processes died. */
  readonly crashes: StoreBoundary[] = [];
  /** The next process that reaches this boundary dies there. */
  plannedCrash: StoreBoundary | undefined;
  readonly #random: SeededRandom;
  readonly signer: TestSigner;
  readonly #turnOfEvents: () => Promise<void>;
  readonly #steps: PendingStep[] = [];
  #processes: SimulatedProcess[] = [];
  #version = 1;
  messages: Wake[] = [];

  /** `turnOfEvents` runs everything that can run without time passing. */
  constructor(seed: string, signer: TestSigner, turnOfEvents: () => Promise<void>) {
    this.#random = new SeededRandom(seed);
    this.signer = signer;
    this.#turnOfEvents = turnOfEvents;
    this.store.addPrincipal(simulationAgent);
    for (const id of simulationPeople)
      this.store.addPrincipal({ tenant: simulationTenant, id, kind: "person" });
  }

  /** Resolves when every process has finished, stands at a gate, or waits for time to pass. */
  settle = async (): Promise<void> => {
    do await this.#turnOfEvents();
    while (this.signer.busy() > 0);
  };

  admit(capability: string, key: string, input: Json): void {
    const tell = (told: AdmissionRecord["result"]) =>
      this.admissions.push({ key, input, capability, result: told });
    this.run(async ({ ports }) => {
      try {
        // Half of the processes that admit a call continue it themselves, as the API does.
        const here = this.#random.chance() < 0.5;
        const request = { principal: simulationAgent, capability, key, input };
        const { call, known, wakes } = await admit(request, ports, () => here);
        tell({ call: call.call });
        const goesOn =
          here &&
          !known &&
          capability !== planCapability &&
          (call.state === "performing" || call.state === "ready");
        return goesOn ? (await continueCall(call, ports)).wakes : wakes;
      } catch (error) {
        if (error instanceof ParaphError) tell({ code: error.code });
        throw error;
      }
    });
  }

  deliver(wake: Wake): void {
    // The engine keeps a message until its handler has returned.
    this.run(
      async ({ ports }) => (await advance(wake, ports)).wakes,
      () => this.messages.push(wake),
    );
  }

  sweep(): void {
    this.messages.push(...this.store.sweepDue(this.clock.now()));
  }

  /** Changes the version of every contract. One process leaves the pool and finishes the work it has begun. */
  deploy(): void {
    this.#version = this.#version === 1 ? 2 : 1;
    this.#processes.shift();
  }

  /** Removes the processes of the old version, so that they start no more work. */
  finishDeploying(): void {
    this.#processes = this.#processes.filter(({ version }) => version === this.#version);
  }

  kill(index: number): void {
    const process = this.#processes.at(index % this.#processes.length);
    process?.die();
  }

  get pendingCount(): number {
    return this.#steps.length;
  }

  /** Decides the fate of one process that stands at a gate. */
  async step(index: number, boundaryFate: BoundaryFate = "go"): Promise<void> {
    const [step] = this.#steps.splice(index % Math.max(1, this.#steps.length), 1);
    step?.settle(boundaryFate);
    await this.settle();
  }

  async advanceTime(ms: number): Promise<void> {
    await this.clock.advance(ms, this.settle);
  }

  /** Runs the body in one of the processes and sends the messages that the body returns. */
  run(body: (process: SimulatedProcess) => Promise<readonly Wake[]>, again: () => void = () => {}): void {
    const process = this.#someProcess();
    const run = async () => {
      const wakes = await body(process);
      await process.gate("send");
      this.messages.push(...wakes);
    };
    run().catch((error) => {
      if (!process.alive()) return;
      again();
      if (error instanceof StoreUnavailable || error instanceof ParaphError) return;
      this.faults.push(`[P9] escaped: ${String(error)}`);
    });
  }

  /** Returns one of the two processes, and replaces dead processes first. */
  #someProcess(): SimulatedProcess {
    this.#processes = this.#processes.filter((process) => process.alive());
    while (this.#processes.length < 2) this.#processes.push(this.#start());
    return this.#random.pick(this.#processes);
  }

  #start(): SimulatedProcess {
    const life: ProcessStore = this.store.startProcess();
    let alive = true;
    const die = () => {
      alive = false;
      life.die();
    };
    const meet = (boundary?: StoreBoundary): Promise<BoundaryFate> =>
      alive
        ? new Promise((settle) => {
            const meets = (boundaryFate: BoundaryFate) => {
              if (!alive) return;
              if (boundary && boundaryFate === "crash") this.crashes.push(boundary);
              settle(boundaryFate);
            };
            if (this.#isDoomed(boundary)) meets("crash");
            else this.#steps.push({ process, settle: meets });
          })
        : waitForever();
    const gate = async () => {
      if ((await meet()) !== "crash") return;
      die();
      await waitForever();
    };
    const host = { gate, alive: () => alive };
    const version = this.#version;
    const ports = this.#ports(createCrashingStore(life, meet, die), host, version);
    const process: SimulatedProcess = { ...host, die, version, ports };
    return process;
  }

  #isDoomed(boundary: StoreBoundary | undefined): boolean {
    const { plannedCrash } = this;
    if (
      !plannedCrash ||
      boundary?.operation !== plannedCrash.operation ||
      boundary.moment !== plannedCrash.moment
    )
      return false;
    this.plannedCrash = undefined;
    return true;
  }

  #ports(store: Ports["store"], host: ExternalHost, version: number): Ports {
    const { clock } = this;
    return {
      store,
      catalog: new Catalog([...this.outside.createCapabilities(host, version), planApplyCapability]),
      policy: simulationPolicy,
      signer: this.signer,
      sealer: this.signer,
      links: new CallLinks(),
      clock: {
        now: () => clock.now(),
        sleep: async (ms) => {
          await clock.sleep(ms);
          if (!host.alive()) await waitForever();
        },
        deadline: (ms) => {
          const controller = new AbortController();
          const stop = () => host.alive() && controller.abort();
          return { signal: controller.signal, clear: clock.schedule(clock.now() + ms, stop) };
        },
      },
      random: this.#random,
      credentials: { resolve: async () => "" },
      telemetry: { span: (_name, _about, body) => body(), measure: () => {} },
      settings: {
        askMs: { low: 24 * 3_600_000, normal: 24 * 3_600_000, high: 4 * 3_600_000, critical: 900_000 },
        acknowledgeMs: 900_000,
        previewPatienceMs: 2_000,
        sweepGraceMs: 5_000,
        enforcement: enforceAll,
        limits: () => [],
        maxDenials: Number.POSITIVE_INFINITY,
        escalation: {
          low: [],
          normal: [{ afterMs: 3_600_000 }, { afterMs: 14_400_000, group: "leads" }],
          high: [],
          critical: [],
        },
      },
      freezes: this.freezes.createView(this.#random),
    };
  }
}
