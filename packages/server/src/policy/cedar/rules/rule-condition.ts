import type { Contract, Json } from "@paraph/core";
import { environmentNames } from "../values/environment-value.ts";
import { type InputType, toInputType } from "../values/input-type.ts";
import { previewSums } from "../values/preview-value.ts";
import { formatAttribute, formatAttributeName, formatPattern, quoteCedar } from "./cedar-text.ts";
import type { Rule } from "./rule.ts";
import type { ReportRuleFault } from "./rule-selection.ts";

/** Compiles the `when` of a rule into Cedar, one condition per path. */
export function compileConditions(
  rule: Rule,
  contracts: readonly Contract[],
  fault: ReportRuleFault,
): string[] {
  const loosens = rule.allow !== undefined;
  return Object.entries(rule.when ?? {}).flatMap(([path, bound]) => {
    const place = resolvePlace(path, contracts);
    if (typeof place === "string") {
      fault(`when.${path}`, place);
      return [];
    }
    const tests = Object.entries(bound).flatMap(([operator, wanted]) => {
      const test = compileTest(operator, wanted, place, loosens);
      if (test === undefined)
        fault(`when.${path}.${operator}`, `does not apply to ${describeType(place.type)}`);
      return test ?? [];
    });
    return [addPresenceTests(place, tests.join(" && "), loosens)];
  });
}

/** A place in the context, and the Cedar expression that reads it. */
interface ContextPlace {
  readonly access: string;
  readonly type: InputType;
  /** The presence tests that must hold before the access. */
  readonly has: readonly string[];
  /** The Cedar test for whether the preview contains the sum. Unset if the place is not a sum of the preview. */
  readonly uncounted?: string;
}

const longType: InputType = { kind: "long" };
const textSetType: InputType = { kind: "set", of: { kind: "string" } };

/** Returns the place in the context that the path names, or a fault message. */
function resolvePlace(path: string, contracts: readonly Contract[]): ContextPlace | string {
  const [root, ...names] = path.split(".");
  const [name = ""] = names;
  const isOne = names.length === 1;
  if (root === "env" && isOne && environmentNames.some((one) => one === name)) {
    return { access: `context.env.${name}`, type: longType, has: [] };
  }
  if (root === "preview" && isOne) return resolvePreviewPlace(name) ?? unknownPlaceMessage;
  return root === "input" && names.length > 0 ? resolveInputPlace(names, contracts) : unknownPlaceMessage;
}

const unknownPlaceMessage =
  `not a field that a rule can read; use one of \`input.…\`, \`preview.changes\`, \`preview.kinds\`, \`preview.targets\`, \`preview.steps\`, \`preview.risks\`, ` +
  `${previewSums.map((name) => `\`preview.${name}\``).join(", ")}, ` +
  `${environmentNames.map((name) => `\`env.${name}\``).join(", ")}`;

function resolvePreviewPlace(name: string): ContextPlace | undefined {
  const access = `context.preview.${name}`;
  const has = ["context has preview"];
  if (previewSums.some((one) => one === name)) {
    return { access, type: longType, has, uncounted: `context.preview has ${name}` };
  }
  if (name === "changes" || name === "steps") return { access, type: longType, has };
  return ["kinds", "targets", "risks"].includes(name) ? { access, type: textSetType, has } : undefined;
}

function resolveInputPlace(names: readonly string[], contracts: readonly Contract[]): ContextPlace | string {
  const types = contracts.map((contract) => findFieldType(toInputType(contract.input), names));
  const [type] = types;
  // If no selected capability has this input, `compileSelection` reports the fault. This function therefore returns a
  // placeholder.
  if (!type) return { access: "context.input", type: longType, has: [] };
  if (types.some((one) => one.kind === "untyped" || one.kind === "record")) {
    return "Cedar cannot compare this (a fraction, a union, null, a map or an object)";
  }
  if (types.some((one) => JSON.stringify(one) !== JSON.stringify(type))) {
    return "has different types in the capabilities that the rule selects; write a separate rule for each type";
  }
  const steps = names.map(
    (_, depth) => `context.input${names.slice(0, depth).map(formatAttribute).join("")}`,
  );
  const has = names.map((name, depth) => `${steps[depth]} has ${formatAttributeName(name)}`);
  return { access: `context.input${names.map(formatAttribute).join("")}`, type, has };
}

function findFieldType(type: InputType, [name, ...rest]: readonly string[]): InputType {
  if (name === undefined) return type;
  const field = type.kind === "record" ? type.fields.get(name) : undefined;
  return field ? findFieldType(field.type, rest) : { kind: "untyped" };
}

function compileTest(
  operator: string,
  wanted: Json,
  place: ContextPlace,
  loosens: boolean,
): string | undefined {
  const { access, type } = place;
  const element = type.kind === "set" ? type.of : type;
  const literals = (Array.isArray(wanted) ? wanted : [wanted]).map((one) => toLiteral(one, element));
  if (literals.some((one) => one === undefined)) return undefined;
  const list = `[${literals.join(", ")}]`;
  if (type.kind === "set" && loosens) return compileWholeSetTest(operator, access, list);
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
      return type.kind === "string" ? compileStartsWith(access, `${wanted}`, loosens) : undefined;
    default:
      return undefined;
  }
}

/**
 * [TRUST 15] Compiles a test of a list for a rule that loosens. Every entry must meet the bound, because one allowed
 * recipient must not let a call pass that has others too.
 */
function compileWholeSetTest(operator: string, access: string, list: string): string | undefined {
  if (operator !== "is" && operator !== "oneOf") return undefined;
  return `!${access}.isEmpty() && ${list}.containsAll(${access})`;
}

/**
 * Compiles a prefix test. If the rule loosens, the test also rejects `..`, because `/srv/../etc` starts with `/srv/`
 * and would bypass the rule.
 */
function compileStartsWith(access: string, prefix: string, loosens: boolean): string {
  const begins = `${access} like ${formatPattern(prefix, "")}`;
  return loosens ? `${begins} && !(${access} like ${formatPattern("", "..", "")})` : begins;
}

function toLiteral(value: Json, type: InputType): string | undefined {
  if (type.kind === "string" && typeof value === "string") return quoteCedar(value);
  if (type.kind === "long" && Number.isSafeInteger(value)) return `${value}`;
  return type.kind === "bool" && typeof value === "boolean" ? `${value}` : undefined;
}

/**
 * Adds the tests that a value exists. A missing value does not meet a bound, with one exception. If a preview lacks a
 * sum, the sum is unknown, and a rule that tightens then applies.
 */
function addPresenceTests({ has, uncounted }: ContextPlace, test: string, loosens: boolean): string {
  if (!uncounted) return [...has, test].join(" && ");
  return [...has, `(if ${uncounted} then ${test} else ${!loosens})`].join(" && ");
}

function describeType(type: InputType): string {
  const names = { string: "a text", long: "a whole number", bool: "true or false" } as const;
  if (type.kind === "set") return "a list";
  return type.kind === "record" || type.kind === "untyped" ? "this" : names[type.kind];
}
