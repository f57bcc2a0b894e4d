import type { Contract } from "@paraph/core";
import { type LoadFault, PolicyLoadError } from "../loading/load-fault.ts";
import type { PolicySource } from "../loading/policy-text.ts";
import { formatEntity, quoteCedar } from "./cedar-text.ts";
import type { Rule } from "./rule.ts";
import { compileConditions } from "./rule-condition.ts";
import { findRuleLoadFaults } from "./rule-schema.ts";
import { compileSelection, type RuleSelection, toRuleSlug } from "./rule-selection.ts";

/** The Cedar text and the settings that rules compile to. */
export interface CompiledRules {
  /** The compiled Cedar text for the document's `sources`. `paraph policy eject` prints it. */
  readonly source: PolicySource;
  /** The names to add to the document's `unattended`. */
  readonly unattended: readonly string[];
}

/** Compiles rules into Cedar. Throws `PolicyLoadError` with every fault, each naming `rules[i].field`. */
export function compileRules(rules: readonly Rule[], contracts: readonly Contract[]): CompiledRules {
  const shape = findRuleLoadFaults(rules);
  if (shape.length > 0) throw new PolicyLoadError(shape);
  const faults: LoadFault[] = [];
  const compiled = rules.map((rule, index) => compileRule(rule, index, contracts, faults));
  if (faults.length > 0) throw new PolicyLoadError(faults);

  const allowances = compiled.flatMap(({ rule, selection, conditions, id }) =>
    rule.allow
      ? selection.contracts.map(({ name }) => ({ name, conditions, id, sentence: rule.sentence }))
      : [],
  );
  const policies = [
    ...compiled.filter(({ rule }) => !rule.allow).flatMap(compileRestrictions),
    ...[...Map.groupBy(allowances, ({ name }) => name).values()].flatMap(compileAllowanceGuard),
  ];
  const heading =
    "// Compiled from `rules` in the configuration: change them there, or eject and change this.\n";
  return {
    source: { file: "rules", text: [heading, ...policies].join("\n") },
    unattended: [...new Set(allowances.map(({ name }) => name))].sort(),
  };
}

interface CompiledRule {
  readonly rule: Rule;
  readonly id: string;
  readonly selection: RuleSelection;
  /** The conditions on the caller, which are also among `conditions`. */
  readonly whom: readonly string[];
  readonly conditions: readonly string[];
}

function compileRule(
  rule: Rule,
  index: number,
  contracts: readonly Contract[],
  faults: LoadFault[],
): CompiledRule {
  const fault = (field: string, sentence: string) =>
    faults.push({ file: `rules[${index}].${field}`, sentence });
  const selection = compileSelection(rule, contracts, fault);
  const about = compileConditions(rule, selection.contracts, fault);
  const whom = compilePrincipalConditions(rule);
  return {
    rule,
    id: `rule-${index + 1}-${toRuleSlug(rule)}`.slice(0, 128),
    selection,
    whom,
    conditions: [...selection.conditions, ...whom, ...about],
  };
}

const entityTypes = { agent: "Agent", person: "Person", service: "Service" } as const;

function compilePrincipalConditions({ for: whom = {} }: Rule): string[] {
  const { group, principal, kind } = whom;
  const types = kind ? [entityTypes[kind]] : Object.values(entityTypes);
  const isPrincipal = types.map((type) => `principal == ${formatEntity(type, principal ?? "")}`).join(" || ");
  return [
    ...(kind ? [`principal is ${entityTypes[kind]}`] : []),
    ...(principal === undefined ? [] : [`(${isPrincipal})`]),
    ...(group === undefined ? [] : [`principal in ${formatEntity("Group", group)}`]),
  ];
}

/**
 * Compiles a rule that blocks, asks or checks. [P11] A rule with conditions on the input also applies to capabilities
 * that appear later. Until the rules are compiled again, it applies to them regardless of their input.
 */
function compileRestrictions({ rule, id, selection, conditions, whom }: CompiledRule): string[] {
  const { scope, future } = selection;
  const known = formatRestriction(rule, id, scope, conditions);
  if (!future) return [known];
  const later = [...future.conditions, ...whom];
  return [known, formatRestriction(rule, `${id.slice(0, 121)}-future`, future.scope, later, ["@future"])];
}

function formatRestriction(
  rule: Rule,
  id: string,
  scope: string,
  conditions: readonly string[],
  marks: readonly string[] = [],
): string {
  const lines = [
    `@id(${quoteCedar(id)})`,
    ...(rule.block ? [] : formatGuardAnnotations(rule)),
    `@sentence(${quoteCedar(rule.sentence ?? formatDefaultSentence(rule))})`,
    ...(rule.shadow ? ["@shadow"] : []),
    ...marks,
    `forbid (principal, ${scope}, resource)`,
    ...conditions.map((condition) => `when { ${condition} }`),
    ...(rule.block ? [] : [`unless { ${formatDischarge(id)} }`]),
  ];
  return `${lines.join("\n")};\n`;
}

function formatGuardAnnotations(rule: Rule): string[] {
  const asks = rule.check === undefined || rule.onFail === "ask";
  const asking = [
    `@quorum("${rule.people ?? 1}")`,
    `@urgency("${rule.urgency ?? "normal"}")`,
    ...(typeof rule.ask === "string" ? [`@group(${quoteCedar(rule.ask)})`] : []),
    ...(rule.proof ? [`@proof("${rule.proof}")`] : []),
    ...(rule.deadline ? [`@deadline("${rule.deadline}")`] : []),
    ...(rule.reply ? [`@reply("${rule.reply}")`] : []),
  ];
  if (rule.check === undefined) return ['@ruling("ask")', ...asking];
  const level = typeof rule.check === "string";
  return [
    '@ruling("check")',
    level ? `@level(${quoteCedar(`${rule.check}`)})` : `@checks(${quoteCedar([...rule.check].join(" "))})`,
    `@on_fail("${rule.onFail ?? "refuse"}")`,
    ...(asks ? asking : []),
  ];
}

function formatDefaultSentence(rule: Rule): string {
  if (rule.block) return "A rule of the configuration blocks this.";
  if (rule.check) return "A rule of the configuration requires checks for this.";
  return "A rule of the configuration requires a person to decide on this.";
}

/** A capability that a rule allows unattended, within the conditions of the rule. */
interface Allowance {
  readonly name: string;
  readonly conditions: readonly string[];
  readonly id: string;
  readonly sentence: string | undefined;
}

/**
 * Compiles a guard for a capability that the preset allows because rules list it as unattended. The guard asks about
 * calls that meet the conditions of none of these rules. A rule therefore never loosens more than its conditions state.
 * If one of the rules has no conditions, there is no guard. The sentences of the rules are the reason of the guard.
 */
function compileAllowanceGuard(allowances: readonly Allowance[]): string[] {
  const [{ name, id }] = allowances as [Allowance];
  if (allowances.some(({ conditions }) => conditions.length === 0)) return [];
  const own = `${id.split("-", 2).join("-")}-${name}`.slice(0, 128);
  const sentences = new Set(allowances.flatMap(({ sentence }) => sentence ?? []));
  const reason = [...sentences].join(" ") || "This is outside the bounds for unattended use.";
  const bounds = allowances.map(({ conditions }) => `  (${conditions.join(" && ")})`);
  return [
    `@id(${quoteCedar(own)})
@ruling("ask")
@quorum("1")
@urgency("normal")
@sentence(${quoteCedar(reason)})
forbid (principal, action == ${formatEntity("Action", name)}, resource)
when { principal is Agent || principal is Service }
unless
{
${[...bounds, `  ${formatDischarge(own)}`].join(" ||\n")}
};
`,
  ];
}

function formatDischarge(id: string): string {
  return `context.evidence.discharged.contains(${quoteCedar(id)})`;
}
