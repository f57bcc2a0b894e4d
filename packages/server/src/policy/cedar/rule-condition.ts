import type { Contract, Json } from "@paraph/core";
import { attribute, attributeName, pattern, quoted } from "./cedar-text.ts";
import { environmentNames } from "./environment-value.ts";
import { type InputType, inputTypeOf } from "./input-type.ts";
import { previewSums } from "./preview-value.ts";
import type { Rule } from "./rule.ts";
import type { Fault } from "./rule-selection.ts";

/** The `when` of a rule in Cedar, one condition for each path. */
export function conditionsOf(rule: Rule, contracts: readonly Contract[], fault: Fault): string[] {
  const loosens = rule.allow !== undefined;
  return Object.entries(rule.when ?? {}).flatMap(([path, bound]) => {
    const place = placeOf(path, contracts);
    if (typeof place === "string") {
      fault(`when.${path}`, place);
      return [];
    }
    const tests = Object.entries(bound).flatMap(([operator, wanted]) => {
      const test = testOf(operator, wanted, place, loosens);
      if (test === undefined) fault(`when.${path}.${operator}`, `does not go with ${nameOf(place.type)}`);
      return test ?? [];
    });
    return [guarded(place, tests.join(" && "), loosens)];
  });
}

/** A place in the context, and how to get there. */
interface Place {
  readonly access: string;
  readonly type: InputType;
  /** What must be there first. */
  readonly has: readonly string[];
  /** A number that a preview may not know. */
  readonly uncounted?: string;
}

const long: InputType = { kind: "long" };
const texts: InputType = { kind: "set", of: { kind: "string" } };

/** Or the fault that there is. */
function placeOf(path: string, contracts: readonly Contract[]): Place | string {
  const [root, ...names] = path.split(".");
  const [name = ""] = names;
  const isOne = names.length === 1;
  if (root === "env" && isOne && environmentNames.some((one) => one === name)) {
    return { access: `context.env.${name}`, type: long, has: [] };
  }
  if (root === "preview" && isOne) return previewPlace(name) ?? unknownPlace;
  return root === "input" && names.length > 0 ? inputPlace(names, contracts) : unknownPlace;
}

const unknownPlace =
  `not a place that a rule can look at: \`input.…\`, \`preview.changes\`, \`preview.kinds\`, \`preview.targets\`, \`preview.steps\`, \`preview.risks\`, ` +
  `${previewSums.map((name) => `\`preview.${name}\``).join(", ")}, ` +
  `${environmentNames.map((name) => `\`env.${name}\``).join(", ")}`;

function previewPlace(name: string): Place | undefined {
  const access = `context.preview.${name}`;
  const has = ["context has preview"];
  if (previewSums.some((one) => one === name)) {
    return { access, type: long, has, uncounted: `context.preview has ${name}` };
  }
  if (name === "changes" || name === "steps") return { access, type: long, has };
  return ["kinds", "targets", "risks"].includes(name) ? { access, type: texts, has } : undefined;
}

function inputPlace(names: readonly string[], contracts: readonly Contract[]): Place | string {
  const types = contracts.map((contract) => typeAt(inputTypeOf(contract.input), names));
  const [type] = types;
  // That none has it is told by the selection.
  if (!type) return { access: "context.input", type: long, has: [] };
  if (types.some((one) => one.kind === "untyped" || one.kind === "record")) {
    return "Cedar cannot compare this (a fraction, a union, null, a map or an object)";
  }
  if (types.some((one) => JSON.stringify(one) !== JSON.stringify(type))) {
    return "of different types in the capabilities that the rule is about: write one rule for each";
  }
  const steps = names.map((_, depth) => `context.input${names.slice(0, depth).map(attribute).join("")}`);
  const has = names.map((name, depth) => `${steps[depth]} has ${attributeName(name)}`);
  return { access: `context.input${names.map(attribute).join("")}`, type, has };
}

function typeAt(type: InputType, [name, ...rest]: readonly string[]): InputType {
  if (name === undefined) return type;
  const field = type.kind === "record" ? type.fields.get(name) : undefined;
  return field ? typeAt(field.type, rest) : { kind: "untyped" };
}

function testOf(operator: string, wanted: Json, place: Place, loosens: boolean): string | undefined {
  const { access, type } = place;
  const element = type.kind === "set" ? type.of : type;
  const literals = (Array.isArray(wanted) ? wanted : [wanted]).map((one) => literalOf(one, element));
  if (literals.some((one) => one === undefined)) return undefined;
  const list = `[${literals.join(", ")}]`;
  switch (operator) {
    case "over":
      return type.kind === "long" ? `${access} > ${literals[0]}` : undefined;
    case "under":
      return type.kind === "long" ? `${access} < ${literals[0]}` : undefined;
    case "is":
      return type.kind === "set" ? `${access}.contains(${literals[0]})` : `${access} == ${literals[0]}`;
    case "oneOf":
      return type.kind === "set" ? `${access}.containsAny(${list})` : `${list}.contains(${access})`;
    case "startsWith":
      return type.kind === "string" ? startsWith(access, `${wanted}`, loosens) : undefined;
    default:
      return undefined;
  }
}

/** `/srv/` is no bound on `/srv/../etc`: what loosens must not be talked out of its bounds. */
function startsWith(access: string, prefix: string, loosens: boolean): string {
  const begins = `${access} like ${pattern(prefix, "")}`;
  return loosens ? `${begins} && !(${access} like ${pattern("", "..", "")})` : begins;
}

function literalOf(value: Json, type: InputType): string | undefined {
  if (type.kind === "string" && typeof value === "string") return quoted(value);
  if (type.kind === "long" && Number.isSafeInteger(value)) return `${value}`;
  return type.kind === "bool" && typeof value === "boolean" ? `${value}` : undefined;
}

/**
 * A value that is not there meets no bound, except one: where a rule tightens and a preview has not counted, nobody
 * knows, and the rule holds.
 */
function guarded({ has, uncounted }: Place, test: string, loosens: boolean): string {
  if (!uncounted) return [...has, test].join(" && ");
  return [...has, `(if ${uncounted} then ${test} else ${!loosens})`].join(" && ");
}

function nameOf(type: InputType): string {
  const names = { string: "a text", long: "a whole number", bool: "true or false" } as const;
  if (type.kind === "set") return "a list";
  return type.kind === "record" || type.kind === "untyped" ? "this" : names[type.kind];
}
