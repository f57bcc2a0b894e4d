import type { Preview } from "../capability/capability.ts";
import type { Contract } from "../capability/contract.ts";
import type { Grant } from "../grant.ts";
import type { Json } from "../json.ts";
import type { Principal } from "../principal.ts";
import type { Environment, Guard } from "./policy.ts";

/**
 * Policy's answer to a call. If several policies apply, the strictest wins, in this order: block, ask, check, allow.
 */
export type Ruling = Allow | Check | Ask | Block;

/** The kinds of rulings, least to most restrictive. */
export const rulingKinds = ["allow", "check", "ask", "block"] as const satisfies readonly Ruling["kind"][];
export type RulingKind = (typeof rulingKinds)[number];

/**
 * The fields of every ruling. `policies` are the ids of the policies that determined it, and `version` is the digest of
 * the policy set that made it. `sentence` explains the ruling to people. `discharged` are the ids of the guards that
 * evidence satisfied. `shadow` is the ruling with the shadow policies in force, if that ruling differs from this one.
 */
interface RulingBase {
  readonly policies: readonly string[];
  readonly version: string;
  readonly sentence: string;
  readonly discharged: readonly string[];
  readonly shadow?: HypotheticalRuling;
}

/**
 * A ruling that lets the call continue. `grant` is the grant that replaces votes, and the intent spends it. In observe
 * mode, `observed` is the ruling that enforcement would have made.
 */
export interface Allow extends RulingBase {
  readonly kind: "allow";
  readonly grant?: Grant;
  readonly observed?: HypotheticalRuling;
}

/** A ruling that requires checks. `checks` names those that have no result yet. */
export interface Check extends RulingBase {
  readonly kind: "check";
  readonly checks: readonly string[];
}

/**
 * A ruling that requires approvals. `withinMs` is the time in which people must answer, if a guard demands a shorter
 * time than the urgency allows.
 */
export interface Ask extends RulingBase {
  readonly kind: "ask";
  readonly guards: readonly Guard[];
  readonly urgency: Guard["urgency"];
  readonly withinMs?: number;
}

/** A ruling that refuses the call. */
export interface Block extends RulingBase {
  readonly kind: "block";
  readonly code: BlockCode;
}

/** The reason for which policy blocks a call. */
export type BlockCode =
  | "forbidden"
  | "not-permitted"
  | "policy-error"
  | "check-failed"
  | "check-error"
  | "not-confirmed"
  | "step-invalid";

/** A ruling that Paraph records and does not apply. */
export interface HypotheticalRuling {
  readonly kind: Ruling["kind"];
  readonly policies: readonly string[];
  readonly code?: BlockCode;
}

/** The call on which policy rules. */
export interface Subject {
  readonly principal: Principal;
  readonly contract: Contract;
  readonly input: Json;
  readonly preview: Preview | undefined;
  readonly env?: Environment;
  /** The cost of the call in minor units. Paraph compares it with the amount that a grant covers. */
  readonly cost?: number;
  /** The requester's own guards, which can tighten policy but never loosen it. */
  readonly requirements?: readonly Guard[];
}

/**
 * The settings that determine how Paraph applies rulings. See `mode` and `features.executor_confirm` in the
 * configuration. With `confirm`, Paraph refuses a change that no person approved and that no policy permits for
 * unattended use.
 */
export interface Enforcement {
  readonly mode: "enforce" | "observe";
  readonly confirm: boolean;
}

/** The strictest enforcement, which is the default. */
export const enforceAll: Enforcement = { mode: "enforce", confirm: true };
