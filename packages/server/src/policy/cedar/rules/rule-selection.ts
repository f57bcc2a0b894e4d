import { adapterName, type Contract, findNearest } from "@paraph/core";
import { formatEntity, formatPattern } from "./cedar-text.ts";
import type { Rule } from "./rule.ts";

/** The calls that a rule applies to. */
export interface RuleSelection {
  /** The action part of a policy's scope. */
  readonly scope: string;
  /** Conditions that the scope cannot express. */
  readonly conditions: readonly string[];
  /**
   * The known capabilities that the rule applies to. If the rule has a pattern, it also covers matching capabilities
   * that appear later.
   */
  readonly contracts: readonly Contract[];
  /** The selection of capabilities that appear later. Present only if `scope` lists the known capabilities by name. */
  readonly future?: Pick<RuleSelection, "scope" | "conditions">;
}

export type ReportRuleFault = (field: string, sentence: string) => unknown;

/** Compiles the selectors of a rule, and reports unknown names. */
export function compileSelection(
  rule: Rule,
  contracts: readonly Contract[],
  fault: ReportRuleFault,
): RuleSelection {
  requireKnownNames(rule, contracts, fault);
  const inputs = Object.keys(rule.when ?? {}).filter((path) => path.startsWith("input."));
  const matching = contracts.filter((contract) => isSelected(rule, contract));
  const having = matching.filter((contract) => inputs.every((path) => hasField(contract, path)));
  if (matching.length > 0 && having.length === 0) {
    fault(`when.${inputs[0]}`, "no capability that the rule selects has this in its input");
  }
  if (rule.allow) return { scope: "action", conditions: [], contracts: requireWrites(having, fault) };
  // Cedar accepts an input condition only for capabilities that have the input, so the scope lists only those
  // capabilities.
  if (inputs.length > 0) {
    const future = hasExactName(rule) ? {} : { future: compileFutureSelection(matching, rule) };
    return { scope: formatActionScope(having), conditions: [], contracts: having, ...future };
  }
  return { ...compileWideSelection(rule), contracts: matching };
}

/** Selects by name, pattern and groups, so that the selection also covers capabilities that appear later. */
function compileWideSelection(rule: Rule): Pick<RuleSelection, "scope" | "conditions"> {
  const [scope = "action", ...conditions] = [...formatExactScope(rule), ...formatGroupScopes(rule)];
  return { scope, conditions: [...conditions, ...formatNameConditions(rule)] };
}

/** Selects everything that the rule applies to, except the known capabilities. */
function compileFutureSelection(
  known: readonly Contract[],
  rule: Rule,
): Pick<RuleSelection, "scope" | "conditions"> {
  const { scope, conditions } = compileWideSelection(rule);
  return {
    scope,
    conditions: [...conditions, ...(known.length > 0 ? [`!(${formatActionScope(known)})`] : [])],
  };
}

/** Returns the part of the policy's id that names the rule. */
export function toRuleSlug({ capability, adapter, effect, risk }: Rule): string {
  const parts = [
    capability?.replaceAll("*", "any"),
    adapter && `adapter-${adapter}`,
    effect && `effect-${effect}`,
    risk && `risk-${risk}`,
  ];
  return parts
    .filter(Boolean)
    .join("-")
    .replaceAll(/[^A-Za-z0-9._-]/g, "-");
}

function isSelected({ capability, adapter, effect, risk }: Rule, contract: Contract): boolean {
  return (
    (capability === undefined || isNameMatch(capability, contract.name)) &&
    (adapter === undefined || adapterName(contract) === adapter) &&
    (effect === undefined || contract.effect === effect) &&
    (risk === undefined || contract.risk === risk)
  );
}

function isNameMatch(wanted: string, name: string): boolean {
  // Replaces only `.` and `*`, because the schema of a rule allows no other character with a special meaning in a
  // regular expression.
  return new RegExp(`^${wanted.replaceAll(".", "\\.").replaceAll("*", ".*")}$`).test(name);
}

/** Reports unknown names, because a rule with a misspelt name would never apply. */
function requireKnownNames(
  { capability, adapter }: Rule,
  contracts: readonly Contract[],
  fault: ReportRuleFault,
): void {
  const adapters = new Set(contracts.map(adapterName));
  if (capability !== undefined && hasExactName({ capability })) {
    const names = contracts.map(({ name }) => name);
    if (!names.includes(capability)) fault("capability", formatUnknownName("capability", capability, names));
  }
  const inPattern = readPatternAdapter(capability ?? "");
  if (inPattern !== undefined && !adapters.has(inPattern)) {
    fault("capability", formatUnknownName("adapter", inPattern, adapters));
  }
  if (adapter !== undefined && !adapters.has(adapter))
    fault("adapter", formatUnknownName("adapter", adapter, adapters));
}

function formatUnknownName(what: "adapter" | "capability", name: string, known: Iterable<string>): string {
  const meant = findNearest(name, known);
  return `no ${what} is called \`${name}\`${meant === undefined ? "" : `. Did you mean \`${meant}\`?`}`;
}

/**
 * Returns only the capabilities that write, because unattended use makes a difference only for them. A read needs no
 * permission, and a destructive call needs approval regardless of any rule.
 */
function requireWrites(matching: readonly Contract[], fault: ReportRuleFault): readonly Contract[] {
  const writes = matching.filter(({ effect }) => effect === "write");
  if (writes.length === 0) fault("allow", "the rule selects no capability that writes");
  return writes;
}

function hasField({ input }: Contract, path: string): boolean {
  const found = path
    .split(".")
    .slice(1)
    .reduce<unknown>((schema, name) => {
      const properties = Object(schema).properties;
      return Object.hasOwn(Object(properties), name) ? properties[name] : undefined;
    }, input);
  return found !== undefined;
}

function formatActionScope(contracts: readonly Contract[]): string {
  const names = contracts.map(({ name }) => formatEntity("Action", name)).sort();
  return names.length === 1 ? `action == ${names[0]}` : `action in [${names.join(", ")}]`;
}

function hasExactName({ capability }: Rule): boolean {
  return capability !== undefined && !capability.includes("*");
}

function formatExactScope(rule: Rule): string[] {
  return hasExactName(rule) ? [`action == ${formatEntity("Action", `${rule.capability}`)}`] : [];
}

function formatGroupScopes({ capability = "", adapter, effect, risk }: Rule): string[] {
  const named = adapter ?? readPatternAdapter(capability);
  const groups = [named && `adapter:${named}`, effect && `effect:${effect}`, risk && `risk:${risk}`];
  return groups.filter((id) => !!id).map((id) => `action in ${formatEntity("Action", `${id}`)}`);
}

function formatNameConditions({ capability }: Rule): string[] {
  if (!capability?.includes("*") || capability === "*") return [];
  return [`context.capability like ${formatPattern(...capability.split("*"))}`];
}

function readPatternAdapter(capability: string): string | undefined {
  return capability.includes("*") ? /^([^.*]+)\./.exec(capability)?.[1] : undefined;
}
