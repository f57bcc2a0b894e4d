import type { Expr } from "@cedar-policy/cedar-wasm/nodejs";
import { type Guard, type Urgency, urgencies } from "@paraph/core";
import type { LoadFault } from "./load-fault.ts";
import type { SinglePolicy } from "./policy-text.ts";

const guardAnnotations = ["ruling", "quorum", "urgency", "sentence", "group"];
const mostPeople = 20;

/**
 * The guard that a policy is, if it is one. A guard must be whole: half of one would either ask for nothing
 * or block what its author meant to ask about.
 */
export function guardOf(policy: SinglePolicy, faults: LoadFault[]): Guard | undefined {
  const { file, line, id } = policy;
  const problems = problemsOf(policy);
  for (const problem of problems) {
    faults.push({ file, line, sentence: `\`${id}\` is a guard without its annotations: ${problem}` });
  }
  const { ruling, quorum, urgency, sentence } = annotationsOf(policy);
  if (ruling !== "ask" || problems.length > 0) return undefined;
  return {
    id,
    ruling,
    quorum: Number(quorum),
    urgency: urgency as Urgency,
    sentence: sentence ?? sentenceFrom(id),
  };
}

function problemsOf(policy: SinglePolicy): string[] {
  const annotations = annotationsOf(policy);
  const isGuard = "ruling" in annotations;
  const problems: string[] = [];
  const need = (holds: boolean, problem: string) => holds || problems.push(problem);

  if (!isGuard) {
    const stray = guardAnnotations.filter((name) => name in annotations);
    need(stray.length === 0, `${stray.map((name) => `\`@${name}\``).join(", ")} needs \`@ruling("ask")\``);
    const discharges = policy.json.effect === "forbid" && hasDischarge(policy);
    need(!discharges, 'evidence lifts it, so it needs `@ruling("ask")`, `@quorum` and `@urgency`');
    return problems;
  }
  const { ruling, quorum, urgency, sentence } = annotations;
  need(ruling !== "check", '`@ruling("check")` is not here yet, it comes with checks: use `@ruling("ask")`');
  need(ruling === "ask" || ruling === "check", '`@ruling` can only be `"ask"`');
  need(policy.json.effect === "forbid", "a guard is a `forbid`: a permit has nothing to lift");
  need(isQuorum(quorum), `\`@quorum("…")\` is a whole number from 1 to ${mostPeople}`);
  need(
    urgencies.some((known) => known === urgency),
    `\`@urgency("…")\` is one of ${urgencies.join(", ")}`,
  );
  need(!("sentence" in annotations) || !!sentence?.trim(), '`@sentence("…")` is empty');
  need(
    !("group" in annotations),
    "`@group` is not here yet, it comes with groups of approvers: leave it out",
  );
  for (const name of Object.keys(annotations)) {
    need(name === "id" || guardAnnotations.includes(name), `\`@${name}\` is not an annotation of guards`);
  }
  const discharge = `unless { context.evidence.discharged.contains("${policy.id}") }`;
  need(hasDischarge(policy), `nothing would lift it, add \`${discharge}\``);
  return problems;
}

function annotationsOf(policy: SinglePolicy): Record<string, string | null> {
  return { ...policy.json.annotations };
}

function isQuorum(text: string | null | undefined): boolean {
  return /^[1-9]\d?$/.test(text ?? "") && Number(text) <= mostPeople;
}

/** Only an alternative of an `unless` certainly lifts the forbid when it holds; no other form counts. */
function hasDischarge(policy: SinglePolicy): boolean {
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

/** `high-risk-needs-a-person` is nearly a sentence already. */
function sentenceFrom(id: string): string {
  const words = id.replaceAll(/[._:-]+/g, " ").trim();
  return `${words.charAt(0).toUpperCase()}${words.slice(1)}.`;
}
