import { isObject } from "../lib/json.ts";

/** A JSON Schema, as a contract states it. */
export type JsonSchema = Readonly<Record<string, unknown>>;

/** A field of an input, as a form and a contract show it. */
export interface Field {
  /** The path of names below the input, such as `address/city`. */
  readonly path: string;
  readonly name: string;
  /** The control of a form. A value of any other type is written as JSON. */
  readonly kind: "text" | "number" | "boolean" | "choice" | "list" | "group" | "json";
  readonly isRequired: boolean;
  /** The type and its limits in words, such as `whole number, at least 1`. */
  readonly type: string;
  readonly description?: string;
  /** The values of a choice. */
  readonly options?: readonly unknown[];
  /** Whether a text usually has several lines, such as the content of a file. */
  readonly isLong?: boolean;
  /** Whether a number, or each number of a list, must be whole. */
  readonly isWhole?: boolean;
  /** Whether a list has numbers, not texts. */
  readonly hasNumbers?: boolean;
  /** The fields of a group. */
  readonly fields?: readonly Field[];
  readonly examples: readonly unknown[];
}

const maxDepth = 3;

/** Reads the fields of a schema. Returns undefined if the schema does not describe an object with named fields. */
export function readFields(schema: JsonSchema): readonly Field[] | undefined {
  const fields = readProperties(schema, schema, "", 0);
  return fields?.length === 0 && schema.additionalProperties !== false ? undefined : fields;
}

function readProperties(
  given: JsonSchema,
  root: JsonSchema,
  parent: string,
  depth: number,
): readonly Field[] | undefined {
  const { type, properties, required, ...others } = resolve(given, root);
  const hasAlternatives = ["anyOf", "oneOf", "allOf", "if"].some((keyword) => keyword in others);
  if (type !== "object" || hasAlternatives || depth > maxDepth) return undefined;
  const names = Array.isArray(required) ? required : [];
  return Object.entries(isObject(properties) ? properties : {}).map(([name, schema]) =>
    readField(name, isObject(schema) ? schema : {}, names.includes(name), root, parent, depth),
  );
}

function readField(
  name: string,
  given: JsonSchema,
  isRequired: boolean,
  root: JsonSchema,
  parent: string,
  depth: number,
): Field {
  const schema = withoutNull(resolve(given, root), root);
  const path = `${parent}${name.replaceAll("~", "~0").replaceAll("/", "~1")}`;
  const description = given.description ?? schema.description;
  const about = {
    ...{ path, name, isRequired },
    ...(typeof description === "string" && description !== "" && { description }),
    examples: listExamples(schema),
  };
  const options = readOptions(schema, root);
  if (options) return { ...about, kind: "choice", options, type: "one of" };
  switch (schema.type) {
    case "string":
      return { ...about, kind: "text", isLong: isLongText(name, schema), type: describeText(schema) };
    case "integer":
    case "number":
      return { ...about, kind: "number", isWhole: schema.type === "integer", type: describeNumber(schema) };
    case "boolean":
      return { ...about, kind: "boolean", type: "yes or no" };
    case "array": {
      const items = isObject(schema.items) ? resolve(schema.items, root) : {};
      const isPlain = items.enum === undefined && items.const === undefined;
      if (isPlain && items.type === "string")
        return { ...about, kind: "list", type: `list of ${describeText(items)}` };
      if (isPlain && (items.type === "integer" || items.type === "number"))
        return {
          ...{ ...about, kind: "list", hasNumbers: true, isWhole: items.type === "integer" },
          type: `list of ${describeNumber(items)}`,
        };
      return { ...about, kind: "json", type: "list, as JSON" };
    }
    case "object": {
      const fields = readProperties(schema, root, `${path}/`, depth + 1);
      if (fields && fields.length > 0) return { ...about, kind: "group", type: "group", fields };
      return { ...about, kind: "json", type: "object, as JSON" };
    }
    default:
      return { ...about, kind: "json", type: "any value, as JSON" };
  }
}

/** Follows references within the same schema. */
function resolve(schema: JsonSchema, root: JsonSchema): JsonSchema {
  let found = schema;
  for (let hops = 0; typeof found.$ref === "string" && hops < 8; hops += 1) {
    if (!found.$ref.startsWith("#/")) return {};
    const keys = found.$ref.slice(2).split("/");
    let target: unknown = root;
    for (const key of keys)
      target = isObject(target) ? target[key.replaceAll("~1", "/").replaceAll("~0", "~")] : undefined;
    if (!isObject(target)) return {};
    found = target;
  }
  return found;
}

/** Returns the only alternative beside `null`. Leaving the field empty stands for `null`. */
function withoutNull(schema: JsonSchema, root: JsonSchema): JsonSchema {
  if (Array.isArray(schema.type)) {
    const types = schema.type.filter((type) => type !== "null");
    return types.length === 1 ? { ...schema, type: types[0] } : schema;
  }
  const { anyOf } = schema;
  if (!Array.isArray(anyOf)) return schema;
  const others = anyOf.filter((one) => isObject(one) && one.type !== "null");
  return others.length === 1 && isObject(others[0]) ? resolve(others[0], root) : schema;
}

function readOptions(schema: JsonSchema, root: JsonSchema): readonly unknown[] | undefined {
  if (Array.isArray(schema.enum)) return schema.enum.filter((option) => option !== null);
  if (schema.const !== undefined) return [schema.const];
  const { anyOf } = schema;
  if (!Array.isArray(anyOf) || anyOf.length === 0) return undefined;
  const values = anyOf.map((one) => (isObject(one) ? resolve(one, root).const : undefined));
  return values.every((value) => value !== undefined) ? values : undefined;
}

const longTextNames = /^(content|body|text|message|markdown|html|source|code|diff|description)s?$/i;
const maxLineLength = 200;

/** Returns whether the schema says that a text can be long, or says nothing and the name suggests it. */
function isLongText(name: string, { format, pattern, maxLength, contentMediaType }: JsonSchema): boolean {
  if (typeof contentMediaType === "string") return true;
  if (format !== undefined || pattern !== undefined) return false;
  return typeof maxLength === "number" ? maxLength > maxLineLength : longTextNames.test(name);
}

function listExamples({ examples, default: standard }: JsonSchema): readonly unknown[] {
  return [...(Array.isArray(examples) ? examples : []), ...(standard === undefined ? [] : [standard])].slice(
    0,
    3,
  );
}

function describeText({ minLength, maxLength, format, pattern }: JsonSchema): string {
  const parts = [
    typeof format === "string" ? format : "text",
    typeof minLength === "number" && minLength > 1 ? `at least ${count(minLength, "character")}` : undefined,
    typeof maxLength === "number" ? `at most ${count(maxLength, "character")}` : undefined,
    typeof pattern === "string" && pattern.length <= 60 ? `like ${pattern}` : undefined,
  ];
  return parts.filter((part) => part !== undefined).join(", ");
}

function describeNumber(schema: JsonSchema): string {
  const { type, minimum, maximum, exclusiveMinimum, exclusiveMaximum } = schema;
  const limit = (words: string, value: unknown) =>
    typeof value === "number" && Math.abs(value) < Number.MAX_SAFE_INTEGER
      ? [`${words} ${value.toLocaleString("en-GB")}`]
      : [];
  return [
    type === "integer" ? "whole number" : "number",
    ...limit("at least", minimum),
    ...limit("more than", exclusiveMinimum),
    ...limit("at most", maximum),
    ...limit("less than", exclusiveMaximum),
  ].join(", ");
}

function count(number: number, noun: string): string {
  return `${number.toLocaleString("en-GB")} ${noun}${number === 1 ? "" : "s"}`;
}
