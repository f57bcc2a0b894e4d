import type { Preview } from "./capability.ts";
import type { Contract } from "./contract.ts";
import type { Json } from "./json.ts";
import type { Principal } from "./principal.ts";

export const urgencies = ["normal", "high", "critical"] as const;
export type Urgency = (typeof urgencies)[number];

/** A policy that forbids until people have answered: what its annotations demand of them. */
export interface Guard {
  readonly id: string;
  readonly ruling: "ask";
  /** How many distinct people must approve. */
  readonly quorum: number;
  readonly urgency: Urgency;
  /** One sentence for the approver: why this is asked. */
  readonly sentence: string;
}

/** What policy is asked. */
export interface Question {
  readonly principal: Principal;
  readonly contract: Contract;
  readonly input: Json;
  readonly preview: Preview | undefined;
  /** Ids of the guards that evidence has met. */
  readonly discharged: readonly string[];
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
  evaluate(question: Question): Evaluation;
}

/** The set in force now; asked anew for every ruling, so that a reload is noticed. */
export interface Policy {
  current(): PolicySet;
}
