import type { Preview } from "../capability/capability.ts";
import type { Contract } from "../capability/contract.ts";
import type { Json } from "../json.ts";
import type { Usage } from "../limit.ts";
import type { Principal } from "../principal.ts";

export const urgencies = ["normal", "high", "critical"] as const;
export type Urgency = (typeof urgencies)[number];

/** A policy that forbids until evidence lifts it: what its annotations demand. */
export interface Guard {
  readonly id: string;
  /** `ask`: people must approve. `check`: checks must pass. */
  readonly ruling: "ask" | "check";
  /** How many distinct people must approve; for a check, where it asks when one fails. */
  readonly quorum: number;
  readonly urgency: Urgency;
  /** One sentence for the approver: why this is asked. */
  readonly sentence: string;
  /** Only people of this group count. */
  readonly group?: string;
  /** An answer is wanted within this, where that is sooner than the urgency says. */
  readonly withinMs?: number;
  /** Names of the check capabilities that must pass. */
  readonly checks?: readonly string[];
  /** What follows where a check does not pass; an error in a check refuses in any case. */
  readonly onFail?: "refuse" | "ask";
  /** Of a whole that is made of steps, those it was raised for; not there where it is about the whole. */
  readonly steps?: readonly string[];
}

/** Facts about the moment, for policies that look at them. Whole numbers only: Cedar has no others. */
export interface Environment extends Usage {
  /** Milliseconds since 1970, UTC. */
  readonly at: number;
}

/** What policy is asked. */
export interface Question {
  readonly principal: Principal;
  readonly contract: Contract;
  readonly input: Json;
  readonly preview: Preview | undefined;
  /** Ids of the guards that evidence has met. */
  readonly discharged: readonly string[];
  /** Given where the set says that it reads it. */
  readonly env?: Environment;
}

/** What the policy engine says of one question, before Paraph makes a ruling of it. */
export interface Evaluation {
  readonly decision: "allow" | "deny";
  /** Ids of the policies that determined the decision. */
  readonly policies: readonly string[];
  /** Codes of what went wrong inside; any at all blocks. */
  readonly errors: readonly string[];
}

/** One loaded, validated, unchanging set of policies. */
export interface PolicySet {
  /** Digest over the whole set: recorded with each ruling. */
  readonly version: string;
  readonly guards: ReadonlyMap<string, Guard>;
  /** What a policy's `@sentence` says, by its id. */
  readonly sentences?: ReadonlyMap<string, string>;
  /** Ids of the permits that are meant for unattended use: see `features.executor_confirm`. */
  readonly unattended: ReadonlySet<string>;
  /** Whether a policy that can apply to this contract reads the environment: it costs a query. */
  readsEnvironment(contract: Contract): boolean;
  evaluate(question: Question): Evaluation;
  /**
   * Whether any call of this capability could be allowed, whatever its input and whoever approved it. True where that
   * cannot be told without the call. Not there: of nothing can it be told.
   */
  couldAllow?(principal: Principal, contract: Contract): boolean;
  /** The same set with its `@shadow` policies in force: what it would say is recorded and hinders nothing. */
  readonly withShadows?: PolicySet;
}

/** The set in force for a tenant now; asked anew for every ruling, so that a reload is noticed. */
export interface Policy {
  current(tenant: string): PolicySet;
  /** Fetches the set in force if it is another than the last one: a transaction found one, or a preview is about to be ruled on. */
  refresh(tenant: string): Promise<void>;
}
