import type { Expr } from "@cedar-policy/cedar-wasm/nodejs";
import type { ParsedPolicy } from "../loading/policy-text.ts";
import { readContextUse } from "./context-use.ts";

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

/**
 * Whether further evidence can change the policy only by lifting it. It can if the policy does not read evidence, or
 * reads it once, in the test that lifts it. Evidence then also makes Cedar evaluate no further part of the policy.
 */
export function isOnlyLiftedByEvidence(policy: ParsedPolicy): boolean {
  const { discharged } = readContextUse(policy);
  if (!discharged) return false;
  if (discharged.size === 0) return true;
  const reads = JSON.stringify(policy.json).split('"discharged"').length - 1;
  return policy.json.effect === "forbid" && reads === 1 && hasDischarge(policy);
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
