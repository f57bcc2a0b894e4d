import type { SinglePolicy } from "./policy-text.ts";

/** What policies look at in the context of a call. */
export interface ContextUse {
  /** Whether they can see anything but `context.evidence.discharged`: the input, the preview, the environment. */
  readonly seesCall: boolean;
  /** The ids they look for in `context.evidence.discharged`; undefined where they use that set in any other way. */
  readonly discharged: ReadonlySet<string> | undefined;
}

export function contextUseOf({ json }: Pick<SinglePolicy, "json">): ContextUse {
  return together(usesWithin(json));
}

export function together(uses: readonly ContextUse[]): ContextUse {
  const ids = uses.map((use) => use.discharged);
  return {
    seesCall: uses.some((use) => use.seesCall),
    discharged: ids.every((one) => one !== undefined) ? new Set(ids.flatMap((one) => [...one])) : undefined,
  };
}

/**
 * Cedar has no variables to hide behind: the context is seen where `{ Var: "context" }` stands, and nowhere else.
 * The whole policy is searched without knowledge of its operators, and whatever is not exactly one of the two
 * harmless forms sees the call: one that is new in Cedar, or a mere word of the author's, costs time and no rule.
 */
function usesWithin(node: unknown): ContextUse[] {
  if (typeof node !== "object" || node === null) return [];
  const id = dischargeLookedFor(node);
  if (id !== undefined) return [{ seesCall: false, discharged: new Set([id]) }];
  if (isDischarged(node)) return [{ seesCall: false, discharged: undefined }];
  if (isContext(node)) return [{ seesCall: true, discharged: undefined }];
  return Object.values(node).flatMap(usesWithin);
}

/** The id in `context.evidence.discharged.contains("id")`. */
function dischargeLookedFor(node: object): string | undefined {
  const applied = only(node, "contains");
  if (!applied || !("left" in applied) || !("right" in applied) || !isDischarged(applied.left)) {
    return undefined;
  }
  const { right } = applied;
  const isValue = typeof right === "object" && right !== null && "Value" in right;
  return isValue && typeof right.Value === "string" ? right.Value : undefined;
}

function isDischarged(node: unknown): boolean {
  return isAttribute(node, "discharged", (left) => isAttribute(left, "evidence", isContext));
}

function isContext(node: unknown): boolean {
  return typeof node === "object" && node !== null && "Var" in node && node.Var === "context";
}

function isAttribute(node: unknown, name: string, of: (left: unknown) => boolean): boolean {
  const access = only(node, ".");
  return !!access && "attr" in access && access.attr === name && "left" in access && of(access.left);
}

/** What the operator is applied to, if the node is this operator and nothing beside it. */
function only(node: unknown, operator: string): object | undefined {
  if (typeof node !== "object" || node === null) return undefined;
  const [[name, applied] = [], ...others] = Object.entries(node);
  const isIt = name === operator && others.length === 0 && typeof applied === "object" && applied !== null;
  return isIt ? applied : undefined;
}
