import type { Contract } from "@paraph/core";
import type { PolicyFinding } from "../analysis/lint.ts";
import type { Rule } from "./rule.ts";
import { compileSelection } from "./rule-selection.ts";

/**
 * Finds the rules with `allow` and the names in `unattended` that change nothing, because every preset asks people
 * about calls of high or critical risk and about destructive calls. A pattern that also selects a capability of lower
 * risk is not reported.
 */
export function findIneffectiveAllowances(
  {
    rules = [],
    unattended = [],
  }: { readonly rules?: readonly Rule[]; readonly unattended?: readonly string[] },
  contracts: readonly Contract[],
): readonly PolicyFinding[] {
  const named = contracts.filter(({ name }) => unattended.includes(name));
  return [
    ...rules.flatMap((rule, index) => {
      if (!rule.allow) return [];
      const selected = compileSelection(rule, contracts, () => {}).contracts;
      return selected.every(isAlwaysAsked) ? [toFinding(`rules[${index}].allow`, selected)] : [];
    }),
    ...named.filter(isAlwaysAsked).map((contract) => toFinding("unattended", [contract])),
  ];
}

function isAlwaysAsked({ effect, risk }: Contract): boolean {
  return effect === "destroy" || risk === "high" || risk === "critical";
}

function toFinding(file: string, contracts: readonly Contract[]): PolicyFinding {
  const reasons = contracts.map(({ name, effect, risk }) =>
    effect === "destroy" ? `\`${name}\` is destructive` : `\`${name}\` has ${risk} risk`,
  );
  const remedy = contracts.some(({ effect }) => effect === "write")
    ? ". If the risk is lower than that, change `risk` where the capability is defined"
    : "";
  const sentence = `${reasons.join(" and ")}, so people still approve each call, and allowing it unattended has no effect${remedy}`;
  return { weight: "warning", code: "unattended-without-effect", file, sentence };
}
