import type { ParsedPolicy } from "../loading/policy-text.ts";
import { readOperand } from "./expression.ts";

/** The parts of the context that differ from call to call of one capability. */
export const callParts = ["input", "preview", "env"] as const;
export type CallPart = (typeof callParts)[number];

/** What policies look at in the context of a call. */
export interface ContextUse {
  /** What they can see of the call itself; empty where every call of the capability looks the same to them. */
  readonly parts: ReadonlySet<CallPart>;
  /** The ids they look for in `context.evidence.discharged`; undefined where they use that set in any other way. */
  readonly discharged: ReadonlySet<string> | undefined;
}

export function readContextUse({ json }: Pick<ParsedPolicy, "json">): ContextUse {
  return mergeContextUses(collectContextUses(json));
}

export function mergeContextUses(uses: readonly ContextUse[]): ContextUse {
  const ids = uses.map((use) => use.discharged);
  return {
    parts: new Set(uses.flatMap((use) => [...use.parts])),
    discharged: ids.every((one) => one !== undefined) ? new Set(ids.flatMap((one) => [...one])) : undefined,
  };
}

/**
 * Cedar has no variables to hide behind: the context is seen where `{ Var: "context" }` stands, and nowhere else.
 * The whole policy is searched without knowledge of its operators, and whatever is not exactly one of the forms
 * below sees everything: one that is new in Cedar, or a mere word of the author's, costs time and no rule.
 */
function collectContextUses(node: unknown): ContextUse[] {
  if (typeof node !== "object" || node === null) return [];
  const id = readDischargeId(node);
  if (id !== undefined) return [{ parts: new Set(), discharged: new Set([id]) }];
  if (isDischargedSet(node)) return [{ parts: new Set(), discharged: undefined }];
  const name = readContextAttribute(node);
  // The capability's name says nothing that the action does not.
  if (name === "capability") return [{ parts: new Set(), discharged: new Set() }];
  const part = callParts.find((one) => one === name);
  if (part) return [{ parts: new Set([part]), discharged: new Set() }];
  if (isContextVariable(node)) return [{ parts: new Set(callParts), discharged: undefined }];
  return Object.values(node).flatMap(collectContextUses);
}

/** The id in `context.evidence.discharged.contains("id")`. */
function readDischargeId(node: object): string | undefined {
  const applied = readOperand(node, "contains");
  if (!applied || !("left" in applied) || !("right" in applied) || !isDischargedSet(applied.left)) {
    return undefined;
  }
  const { right } = applied;
  const isValue = typeof right === "object" && right !== null && "Value" in right;
  return isValue && typeof right.Value === "string" ? right.Value : undefined;
}

function isDischargedSet(node: unknown): boolean {
  const access = readOperand(node, ".");
  return access?.attr === "discharged" && readContextAttribute(access.left) === "evidence";
}

/** The name in `context.name`, and in `context has name` or `context has name.more`. */
function readContextAttribute(node: unknown): string | undefined {
  const access = readOperand(node, ".") ?? readOperand(node, "has");
  if (!access || !isContextVariable(access.left)) return undefined;
  const name = Array.isArray(access.attr) ? access.attr[0] : access.attr;
  return typeof name === "string" ? name : undefined;
}

function isContextVariable(node: unknown): boolean {
  return typeof node === "object" && node !== null && "Var" in node && node.Var === "context";
}
