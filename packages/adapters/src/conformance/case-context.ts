import { randomUUID } from "node:crypto";
import type { Contract, Json } from "@paraph/core";
import type { AdapterProcess } from "./adapter-process.ts";
import type { ConformanceCase, ConformanceTest, Fixture } from "./conformance-test.ts";
import type { CaseAttempt, OfferedCapability, ProcessAnswer } from "./process/commands.ts";
import type { ProcessPool } from "./process-pool.ts";

/** One case with everything that a verification needs. */
export class CaseContext {
  readonly case: ConformanceCase;
  readonly index: number;
  readonly offer: OfferedCapability;
  readonly offered: readonly OfferedCapability[];
  readonly test: ConformanceTest;
  readonly fixture: Fixture;
  readonly pool: ProcessPool;
  /** The number of times that the suite kills a process during this case. */
  readonly crashes: number;
  /** The time in which an attempt must stop after its deadline. */
  readonly graceMs: number;

  constructor(
    test: ConformanceTest,
    index: number,
    {
      offer,
      offered,
      fixture,
      pool,
      crashes,
      graceMs,
    }: Pick<CaseContext, "offer" | "offered" | "fixture" | "pool" | "crashes" | "graceMs">,
  ) {
    this.test = test;
    this.index = index;
    this.case = test.cases[index]!;
    this.offer = offer;
    this.offered = offered;
    this.fixture = fixture;
    this.pool = pool;
    this.crashes = this.case.crashes ?? crashes;
    this.graceMs = this.case.slow?.graceMs ?? graceMs;
  }

  get contract(): Contract {
    return this.offer.contract;
  }

  /** Resets the external system to its state at the start of this case, and returns a snapshot of that state. */
  async resetCase(): Promise<string> {
    await this.pool.waitUntilOpened();
    await this.test.reset(this.fixture);
    await this.case.setUp?.(this.fixture);
    return this.takeSnapshot();
  }

  takeSnapshot(): Promise<string> {
    return this.test.snapshot(this.fixture);
  }

  /** Creates the first attempt of a new call with the case's input. */
  createAttempt(over: Partial<CaseAttempt> = {}): CaseAttempt {
    const { capability, input } = this.case;
    return { capability, input, call: randomUUID(), attempt: 1, ...over };
  }

  /** Adds the current basis to the attempt. If there is no preview or it fails, the attempt has no basis. */
  async withBasis(performer: AdapterProcess, attempt: CaseAttempt): Promise<CaseAttempt> {
    if (!this.#previews(attempt.capability)) return attempt;
    const looked = await performer.send({ kind: "preview", ...attempt, attempt: 0 });
    return looked.kind === "done" ? { ...attempt, basis: looked.value.basis } : attempt;
  }

  /** Previews the attempt and then applies it, as the pipeline does. */
  async perform(performer: AdapterProcess, attempt: CaseAttempt): Promise<ProcessAnswer<Json>> {
    return performer.send({ kind: "apply", ...(await this.withBasis(performer, attempt)) });
  }

  #previews(capability: string): boolean {
    return this.offered.some(({ contract }) => contract.name === capability && contract.previews);
  }
}
