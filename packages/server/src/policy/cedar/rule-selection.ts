import { adapterName, type Contract } from "@paraph/core";
import { entity, pattern } from "./cedar-text.ts";
import type { Rule } from "./rule.ts";

/** Which calls a rule is about. */
export interface Selection {
  /** The action part of a policy's scope. */
  readonly scope: string;
  /** What the scope cannot say. */
  readonly conditions: readonly string[];
  /** The capabilities it is about as far as they are known: a pattern holds for later ones too. */
  readonly contracts: readonly Contract[];
  /** Selects capabilities that appear later, if `scope` lists the known ones by name. */
  readonly future?: Pick<Selection, "scope" | "conditions">;
}

export type Fault = (field: string, sentence: string) => unknown;

export function selectionOf(rule: Rule, contracts: readonly Contract[], fault: Fault): Selection {
  needKnownNames(rule, contracts, fault);
  const inputs = Object.keys(rule.when ?? {}).filter((path) => path.startsWith("input."));
  const matching = contracts.filter((contract) => isSelected(rule, contract));
  const having = matching.filter((contract) => inputs.every((path) => hasField(contract, path)));
  if (matching.length > 0 && having.length === 0) {
    fault(`when.${inputs[0]}`, "no capability that the rule is about has this in its input");
  }
  if (rule.allow) return { scope: "action", conditions: [], contracts: writesOf(having, fault) };
  // Only capabilities that have the input can be held against it, and Cedar validates no policy for the others.
  if (inputs.length > 0) {
    const future = isByName(rule) ? {} : { future: beyond(matching, rule) };
    return { scope: oneOf(having), conditions: [], contracts: having, ...future };
  }
  return { ...wideSelection(rule), contracts: matching };
}

/** Selects by name, pattern and groups, so that it holds for a capability that appears later. */
function wideSelection(rule: Rule): Pick<Selection, "scope" | "conditions"> {
  const [scope = "action", ...conditions] = [...literal(rule), ...groupsOf(rule)];
  return { scope, conditions: [...conditions, ...likeness(rule)] };
}

/** Selects what the rule is about, except the capabilities that are known. */
function beyond(known: readonly Contract[], rule: Rule): Pick<Selection, "scope" | "conditions"> {
  const { scope, conditions } = wideSelection(rule);
  return { scope, conditions: [...conditions, ...(known.length > 0 ? [`!(${oneOf(known)})`] : [])] };
}

/** Names the rule in its policy's id. */
export function slugOf({ capability, adapter, effect, risk }: Rule): string {
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
    (capability === undefined || isLike(capability, contract.name)) &&
    (adapter === undefined || adapterName(contract) === adapter) &&
    (effect === undefined || contract.effect === effect) &&
    (risk === undefined || contract.risk === risk)
  );
}

function isLike(wanted: string, name: string): boolean {
  // A rule's shape admits no other sign that a regular expression would read its own way.
  return new RegExp(`^${wanted.replaceAll(".", "\\.").replaceAll("*", ".*")}$`).test(name);
}

/** A misspelt name would be a rule that never speaks. */
function needKnownNames({ capability, adapter }: Rule, contracts: readonly Contract[], fault: Fault): void {
  const adapters = new Set(contracts.map(adapterName));
  if (capability !== undefined && isByName({ capability })) {
    const isKnown = contracts.some(({ name }) => name === capability);
    if (!isKnown) fault("capability", `no capability is called \`${capability}\``);
  }
  const inPattern = patternsAdapter(capability ?? "");
  if (inPattern !== undefined && !adapters.has(inPattern)) {
    fault("capability", `no adapter is called \`${inPattern}\``);
  }
  if (adapter !== undefined && !adapters.has(adapter))
    fault("adapter", `no adapter is called \`${adapter}\``);
}

/** Nothing but a write can be unattended: a read needs no leave, and what destroys is asked about whatever a rule says. */
function writesOf(matching: readonly Contract[], fault: Fault): readonly Contract[] {
  const writes = matching.filter(({ effect }) => effect === "write");
  if (writes.length === 0) fault("allow", "the rule is about no capability that writes");
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

function oneOf(contracts: readonly Contract[]): string {
  const names = contracts.map(({ name }) => entity("Action", name)).sort();
  return names.length === 1 ? `action == ${names[0]}` : `action in [${names.join(", ")}]`;
}

function isByName({ capability }: Rule): boolean {
  return capability !== undefined && !capability.includes("*");
}

function literal(rule: Rule): string[] {
  return isByName(rule) ? [`action == ${entity("Action", `${rule.capability}`)}`] : [];
}

function groupsOf({ capability = "", adapter, effect, risk }: Rule): string[] {
  const named = adapter ?? patternsAdapter(capability);
  const groups = [named && `adapter:${named}`, effect && `effect:${effect}`, risk && `risk:${risk}`];
  return groups.filter((id) => !!id).map((id) => `action in ${entity("Action", `${id}`)}`);
}

function likeness({ capability }: Rule): string[] {
  if (!capability?.includes("*") || capability === "*") return [];
  return [`context.capability like ${pattern(...capability.split("*"))}`];
}

function patternsAdapter(capability: string): string | undefined {
  return capability.includes("*") ? /^([^.*]+)\./.exec(capability)?.[1] : undefined;
}
