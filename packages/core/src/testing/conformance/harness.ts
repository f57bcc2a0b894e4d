import type { Freeze } from "../../freeze.ts";
import type { Grant } from "../../grant.ts";
import type { NewReceipt, Store, Wake } from "../../ports.ts";
import type { Principal } from "../../principal.ts";
import type { ModelDelegation } from "../model/model-people.ts";
import type { StoreFixture } from "./store-fixture.ts";

/** A store under test, fresh for each test, and the few things a test needs beside the port. */
export interface StoreHarness {
  readonly store: Store;
  /** A tenant that no other test uses. */
  readonly tenant: string;
  /** The store as another process holds it. */
  startOtherProcess(): Promise<OtherProcess>;
  /** The clock by which the store decides waits. */
  now(): Promise<number>;
  advanceClock(ms: number): Promise<void>;
  /** Registers somebody who has signed in, so that they may open calls, vote and be counted; twice is no fault. */
  addPrincipal(principal: Principal): Promise<void>;
  /** What administrators do, in the test's tenant. */
  readonly admin: HarnessAdmin;
  listReceipts(call: string): Promise<readonly NewReceipt[]>;
  /** What was signed about an unknown outcome. */
  listStatements(call: string): Promise<readonly NewReceipt[]>;
  /** One run of the sweeper: the open calls of this tenant that are due. */
  sweep(): Promise<readonly Wake[]>;
  close?(): Promise<void>;
}

/** Each may be repeated, and has taken effect once it resolves. */
export interface HarnessAdmin {
  setGroups(principal: string, groups: readonly string[]): Promise<void>;
  /** Registers a person who has never signed in. */
  invite(person: string): Promise<void>;
  signIn(person: string): Promise<void>;
  disable(person: string): Promise<void>;
  /** The intents in flight that it covers. */
  freeze(freeze: Omit<Freeze, "at">): Promise<readonly { readonly call: string; readonly attempt: number }[]>;
  thaw(id: string): Promise<readonly Wake[]>;
  /** Stores a policy set of this version and puts it in force. */
  publish(version: string): Promise<void>;
  grant(grant: Grant): Promise<void>;
  revoke(id: string): Promise<void>;
  /** While somebody is away, somebody else stands in. */
  delegate(delegation: ModelDelegation): Promise<void>;
  revokeDelegation(id: string): Promise<void>;
}

export interface OtherProcess {
  readonly store: Store;
  /** Resolves once the store could know that the process is gone. */
  die(): Promise<void>;
}

/** The part of vitest the suite uses: handed in, so that nothing here depends on a test runner. */
export interface TestRunner {
  describe(name: string, body: () => void): void;
  it(name: string, body: () => Promise<void>): void;
  expect(actual: unknown): Expectation;
}

export interface Expectation {
  toBe(expected: unknown): void;
  toEqual(expected: unknown): void;
  toMatchObject(expected: object): void;
  readonly rejects: { toThrow(): Promise<void> };
}

/** One chapter of the suite. `prove` runs a test on a fresh store and closes it afterwards. */
export type ConformanceSuite = (prove: DefineTest, expect: TestRunner["expect"]) => void;
export type DefineTest = (name: string, body: (bench: StoreFixture) => Promise<void>) => void;
