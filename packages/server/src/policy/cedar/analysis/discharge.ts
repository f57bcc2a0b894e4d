import type { Expr } from "@cedar-policy/cedar-wasm/nodejs";
import type { ParsedPolicy } from "../loading/policy-text.ts";

/**
 * Whether evidence lifts the forbid. The function recognizes only one form: an `unless` in which one alternative tests
 * `context.evidence.discharged` for the policy's own id.
 */
export function hasDischarge(policy: ParsedPolicy): boolean {
  return policy.json.conditions.some(
    ({ kind, body }) =>
      kind === "unless" && listAlternatives(body).some((part) => isDischarge(part, policy.id)),
  );
}

function listAlternatives(expression: Expr): Expr[] {
  if (!("||" in expression)) return [expression];
  const { left, right } = expression["||"] as { left: Expr; right: Expr };
  return [...listAlternatives(left), ...listAlternatives(right)];
}

function isDischarge(expression: Expr, id: string): boolean {
  const evidence = { ".": { left: { Var: "context" }, attr: "evidence" } };
  const discharged = { ".": { left: evidence, attr: "discharged" } };
  return isSameExpression(expression, { contains: { left: discharged, right: { Value: id } } });
}

function isSameExpression(a: unknown, b: unknown): boolean {
  if (typeof a !== "object" || typeof b !== "object" || a === null || b === null) return a === b;
  const [left, right] = [Object.entries(a), Object.entries(b)];
  return (
    left.length === right.length && left.every(([key, value]) => isSameExpression(value, Object(b)[key]))
  );
}
