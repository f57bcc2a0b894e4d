import type { Preview } from "../capability/capability.ts";
import type { Contract } from "../capability/contract.ts";
import type { Json } from "../json.ts";
import type { Usage } from "../limit.ts";
import type { Principal } from "../principal.ts";

/** The urgencies of a question, least to most urgent. */
export const urgencies = ["low", "normal", "high", "critical"] as const;
/** The urgency of a question, which decides how soon people should answer. */
export type Urgency = (typeof urgencies)[number];

/** The kinds of evidence that a guard can demand: approvals by people, or checks that pass. */
export const guardKinds = ["ask", "check"] as const;
export type GuardKind = (typeof guardKinds)[number];

/** The kinds of proof that a guard can demand with each approval. */
export const proofKinds = ["passkey"] as const;
/** A kind of proof. `passkey` means that the approver confirms with a WebAuthn authenticator. */
export type ProofKind = (typeof proofKinds)[number];

/**
 * A policy that forbids a call until evidence satisfies the policy. Its annotations state the evidence that it demands.
 */
export interface Guard {
  readonly id: string;
  /** `ask` means that people must approve. `check` means that checks must pass. */
  readonly ruling: GuardKind;
  /**
   * The number of distinct people who must approve. For a check, the number applies only if Paraph asks people after a
   * failed check.
   */
  readonly quorum: number;
  readonly urgency: Urgency;
  /** One sentence for the approver about why the policy asks. */
  readonly sentence: string;
  /** The only group whose members count as approvers. */
  readonly group?: string;
  /** The proof that each approval needs. Denials need none. */
  readonly proof?: ProofKind;
  /** The time in which people must answer, if it is shorter than the time that the urgency allows. */
  readonly withinMs?: number;
  /** `approve` if an approval may come as a reply to a message. Without it, people approve on the page or by the API. */
  readonly reply?: "approve";
  /** Names of the check capabilities that must pass. */
  readonly checks?: readonly string[];
  /** The consequence of a failed check. An error in a check refuses the call in any case. */
  readonly onFail?: "refuse" | "ask";
  /** For a composite, the steps for which the guard was raised. Missing if the guard is about the whole composite. */
  readonly steps?: readonly string[];
}

/**
 * The current time and the principal's recent usage, for policies that read them. All values are whole numbers, because
 * Cedar has no other numbers.
 */
export interface Environment extends Usage {
  /** Milliseconds since 1970, UTC. */
  readonly at: number;
}

/** One question to the policy engine. */
export interface Question {
  readonly principal: Principal;
  readonly contract: Contract;
  readonly input: Json;
  readonly preview: Preview | undefined;
  /** Ids of the guards that evidence satisfies. */
  readonly discharged: readonly string[];
  /** The environment. The caller passes it only if the policy set reads it. */
  readonly env?: Environment;
}

/** The policy engine's answer to one question, from which Paraph derives a ruling. */
export interface Evaluation {
  readonly decision: "allow" | "deny";
  /** Ids of the policies that determined the decision. */
  readonly policies: readonly string[];
  /** Codes of errors inside the engine. Any error blocks the call. */
  readonly errors: readonly string[];
  /**
   * For a denied call: the permits that apply. They are set only if further evidence could not change them, and could
   * only lift guards. If nothing but guards forbids the call, full evidence would then allow it if there is a permit.
   */
  readonly permits?: readonly string[];
}

/** One loaded, validated and immutable set of policies. */
export interface PolicySet {
  /** The digest over the whole set, which each ruling records. */
  readonly version: string;
  readonly guards: ReadonlyMap<string, Guard>;
  /** The text of each policy's `@sentence`, by policy id. */
  readonly sentences?: ReadonlyMap<string, string>;
  /** Ids of the permits that are meant for unattended use. See `features.executor_confirm`. */
  readonly unattended: ReadonlySet<string>;
  /**
   * Returns whether any policy that can apply to this contract reads the environment. If none does, the caller skips
   * the query that loads the environment.
   */
  readsEnvironment(contract: Contract): boolean;
  evaluate(question: Question): Evaluation;
  /**
   * Returns whether policy could allow some call of this capability, with suitable input and approvals. Returns true if
   * the answer depends on the individual call. If a policy set lacks this method, Paraph assumes true for every
   * capability.
   */
  couldAllow?(principal: Principal, contract: Contract): boolean;
  /**
   * Evaluates only the policies that do not read the individual call, so the answer is the same for every call of the
   * capability. `dependsOnCall` tells whether other policies apply, which could answer otherwise.
   */
  evaluateContract?(
    question: Pick<Question, "principal" | "contract" | "discharged">,
  ): Evaluation & { readonly dependsOnCall: boolean };
  /**
   * A version of this policy set in which the `@shadow` policies are in force. Paraph records its rulings but does not
   * apply them.
   */
  readonly withShadows?: PolicySet;
}

/** The policy sets in force. The pipeline reads the current set for every ruling, so that a reload takes effect. */
export interface Policy {
  current(tenant: string): PolicySet;
  /**
   * Loads the policy set in force if it differs from the last set loaded. The pipeline calls this method after a
   * transaction finds another set in force. The pipeline also calls it before ruling on a preview.
   */
  refresh(tenant: string): Promise<void>;
}
