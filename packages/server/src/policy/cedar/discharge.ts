import type { Expr } from "@cedar-policy/cedar-wasm/nodejs";
import type { SinglePolicy } from "./policy-text.ts";

/** Only an alternative of an `unless` certainly lifts the forbid when it holds; no other form counts. */
export function hasDischarge(policy: SinglePolicy): boolean {
  return policy.json.conditions.some(
    ({ kind, body }) =>
      kind === "unless" && alternativesOf(body).some((part) => isDischarge(part, policy.id)),
  );
}

function alternativesOf(expression: Expr): Expr[] {
  if (!("||" in expression)) return [expression];
  const { left, right } = expression["||"] as { left: Expr; right: Expr };
  return [...alternativesOf(left), ...alternativesOf(right)];
}

function isDischarge(expression: Expr, id: string): boolean {
  const evidence = { ".": { left: { Var: "context" }, attr: "evidence" } };
  const discharged = { ".": { left: evidence, attr: "discharged" } };
  return sameExpression(expression, { contains: { left: discharged, right: { Value: id } } });
}

function sameExpression(a: unknown, b: unknown): boolean {
  if (typeof a !== "object" || typeof b !== "object" || a === null || b === null) return a === b;
  const [left, right] = [Object.entries(a), Object.entries(b)];
  return left.length === right.length && left.every(([key, value]) => sameExpression(value, Object(b)[key]));
}
