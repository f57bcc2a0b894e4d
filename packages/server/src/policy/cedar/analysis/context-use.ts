import type { ParsedPolicy } from "../loading/policy-text.ts";
import { readOperand } from "./expression.ts";

/** The parts of the context that differ between calls of one capability. */
export const callParts = ["input", "preview", "env"] as const;
export type CallPart = (typeof callParts)[number];

/** The parts of the context that policies read. */
export interface ContextUse {
  /** The parts of the call that the policies read. Empty if the policies cannot distinguish calls of one capability. */
  readonly parts: ReadonlySet<CallPart>;
  /**
   * The guard ids that the policies look up in `context.evidence.discharged`. Undefined if the policies use that set in
   * any other form.
   */
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
 * Finds the uses of the context. Cedar has no user-defined variables, so a policy reads the context only at `{ Var:
 * "context" }`. The search covers the whole policy and does not interpret its operators. Every form other than those
 * below counts as a read of the whole context. An unknown form, or a string that looks like a use, can therefore cost
 * time but never give a wrong answer.
 */
function collectContextUses(node: unknown): ContextUse[] {
  if (typeof node !== "object" || node === null) return [];
  const id = readDischargeId(node);
  if (id !== undefined) return [{ parts: new Set(), discharged: new Set([id]) }];
  if (isDischargedSet(node)) return [{ parts: new Set(), discharged: undefined }];
  const name = readContextAttribute(node);
  // Reading the capability's name does not count as reading the call, because the action already determines the name.
  if (name === "capability") return [{ parts: new Set(), discharged: new Set() }];
  const part = callParts.find((one) => one === name);
  if (part) return [{ parts: new Set([part]), discharged: new Set() }];
  if (isContextVariable(node)) return [{ parts: new Set(callParts), discharged: undefined }];
  return Object.values(node).flatMap(collectContextUses);
}

/** Returns the id in `context.evidence.discharged.contains("id")`. */
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

/** Returns the name in `context.name`, `context has name` or `context has name.more`. */
function readContextAttribute(node: unknown): string | undefined {
  const access = readOperand(node, ".") ?? readOperand(node, "has");
  if (!access || !isContextVariable(access.left)) return undefined;
  const name = Array.isArray(access.attr) ? access.attr[0] : access.attr;
  return typeof name === "string" ? name : undefined;
}

function isContextVariable(node: unknown): boolean {
  return typeof node === "object" && node !== null && "Var" in node && node.Var === "context";
}
