import type { Freeze } from "../../freeze.ts";
import type { Grant } from "../../grant.ts";
import type { Principal } from "../../principal.ts";
import type { NewReceipt, NewStatement, Store, Wake } from "../../store.ts";
import type { ModelDelegation } from "../model/model-people.ts";
import type { StoreFixture } from "./store-fixture.ts";

/** A fresh store for one test, and the operations a test needs beside the `Store` port. */
export interface StoreHarness {
  readonly store: Store;
  /** A tenant that no other test uses. */
  readonly tenant: string;
  /** Opens a handle to the same store, as another process would. */
  startOtherProcess(): Promise<OtherProcess>;
  /** Returns the time of the clock by which the store decides when waits end. */
  now(): Promise<number>;
  advanceClock(ms: number): Promise<void>;
  /**
   * Registers a principal that has signed in, so that it may open calls, vote and be counted. Repeating this is
   * allowed.
   */
  addPrincipal(principal: Principal): Promise<void>;
  /** The actions of an administrator in the test's tenant. */
  readonly admin: HarnessAdmin;
  listReceipts(call: string): Promise<readonly NewReceipt[]>;
  /** Returns the signed statements about an unknown outcome. */
  listStatements(call: string): Promise<readonly NewStatement[]>;
  /** Runs the sweeper once and returns the open calls of this tenant that are due. */
  sweep(): Promise<readonly Wake[]>;
  close?(): Promise<void>;
}

/** The administrator's actions. Each may be repeated, and has taken effect once its promise resolves. */
export interface HarnessAdmin {
  setGroups(principal: string, groups: readonly string[]): Promise<void>;
  /** Registers a person who has never signed in. */
  invite(person: string): Promise<void>;
  signIn(person: string): Promise<void>;
  disable(person: string): Promise<void>;
  /** Freezes a subject and returns the intents in flight that the freeze covers. */
  freeze(freeze: Omit<Freeze, "at">): Promise<readonly { readonly call: string; readonly attempt: number }[]>;
  thaw(id: string): Promise<readonly Wake[]>;
  /** Stores a policy set with this version and puts it in force. */
  publish(version: string): Promise<void>;
  grant(grant: Grant): Promise<void>;
  revoke(id: string): Promise<void>;
  /** Lets one person vote in place of another for a while. */
  delegate(delegation: ModelDelegation): Promise<void>;
  revokeDelegation(id: string): Promise<void>;
}

/** Another process that uses the store under test. */
export interface OtherProcess {
  readonly store: Store;
  /** Ends the process. Resolves once the store can detect that the process is gone. */
  die(): Promise<void>;
}

/** The part of vitest that the suite uses. The caller passes it in, so that this package depends on no test runner. */
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

/** One part of the conformance suite. `prove` runs a test on a fresh store and closes the store afterwards. */
export type ConformanceSuite = (prove: DefineTest, expect: TestRunner["expect"]) => void;
export type DefineTest = (name: string, body: (fixture: StoreFixture) => Promise<void>) => void;
