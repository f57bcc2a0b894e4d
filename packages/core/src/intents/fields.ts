import type { Contract } from "../capability/contract.ts";
import { isJsonObject, type JsonObject } from "../json.ts";
import { toConcept } from "./lexicon.ts";

/** A field of a capability's input, as far as words can fill it. */
export interface Field {
  readonly name: string;
  /** The words by which a requester names the field. */
  readonly label: readonly string[];
  readonly description: string;
  readonly isRequired: boolean;
  readonly isList: boolean;
  /** The type of the value, or of one item of a list. `other` can only be given as JSON. */
  readonly type: "string" | "integer" | "number" | "boolean" | "other";
  readonly use: FieldUse;
  readonly options: readonly string[];
}

/** The kind of value that a field holds. It decides which unnamed values could belong to the field. */
export type FieldUse =
  | "text"
  | "path"
  | "address"
  | "url"
  | "day"
  | "moment"
  /** A day and a time of day without a time zone, which is in a field of its own. */
  | "local-time"
  | "time-zone"
  /** The news of a step, which tell others about the steps before it. */
  | "news"
  | "minor-units"
  | "major-units"
  | "currency"
  | "number"
  | "switch"
  | "other";

/** Returns the fields of a capability's input. A field with a constant value is not a field for words. */
export function listFields({ input }: Contract): readonly Field[] {
  const properties = isJsonObject(input.properties) ? input.properties : {};
  const required = Array.isArray(input.required) ? input.required : [];
  return Object.entries(properties).flatMap(([name, schema]) => {
    if (!isJsonObject(schema) || Object.hasOwn(schema, "const")) return [];
    return [toField(name, resolveSchema(schema), required.includes(name))];
  });
}

function toField(name: string, schema: JsonObject, isRequired: boolean): Field {
  const isList = schema.type === "array";
  const item = isList && isJsonObject(schema.items) ? resolveSchema(schema.items) : schema;
  const description = [schema.title, schema.description]
    .filter((text) => typeof text === "string")
    .join(". ");
  const options = Array.isArray(item.enum) ? item.enum.filter((one) => typeof one === "string") : [];
  const type = readType(item);
  return {
    name,
    label: splitName(name).map(toConcept),
    description,
    isRequired,
    isList,
    type,
    use: readUse(name, `${description} ${String(item.description ?? "")}`, type, item),
    options,
  };
}

/** Returns the branch of a schema that is not null, because words never mean null. */
function resolveSchema(schema: JsonObject): JsonObject {
  const branches = schema.anyOf ?? schema.oneOf;
  if (!Array.isArray(branches)) return schema;
  const [only, ...others] = branches.filter(
    (one) => isJsonObject(one) && one.type !== "null",
  ) as JsonObject[];
  return only && others.length === 0 ? { ...schema, ...only } : schema;
}

function readType({ type, properties }: JsonObject): Field["type"] {
  const types = (Array.isArray(type) ? type : [type]).filter((one) => one !== "null");
  const [only, ...others] = types;
  if (others.length > 0 || properties !== undefined) return "other";
  return only === "string" || only === "integer" || only === "number" || only === "boolean" ? only : "other";
}

const timeFormats = new Map<unknown, FieldUse>([
  ["date", "day"],
  ["date-time", "moment"],
]);

function readUse(name: string, about: string, type: Field["type"], { format }: JsonObject): FieldUse {
  const words = splitName(name);
  if (type === "boolean") return "switch";
  if (type === "integer" || type === "number") {
    if (words.includes("cents") || /\bcents\b|\bminor units?\b/i.test(about)) return "minor-units";
    return /\bmajor units?\b|\bin (?:euros?|dollars?|pounds?)\b/i.test(about) ? "major-units" : "number";
  }
  if (type !== "string") return "other";
  const timeUse = timeFormats.get(format);
  if (timeUse !== undefined) return timeUse;
  if (format === "email" || words.some((word) => ["email", "mail"].includes(word))) return "address";
  if (/\b(?:e-?mail|mail) address/i.test(about)) return "address";
  if (format === "uri" || words.includes("url")) return "url";
  if (words.includes("currency")) return "currency";
  if (words.includes("news")) return "news";
  if (words.join(" ") === "time zone") return "time-zone";
  if (/\blocal time\b/i.test(about)) return "local-time";
  return words.some((word) => ["path", "file", "folder"].includes(word)) || /\bpath\b/i.test(about)
    ? "path"
    : "text";
}

/** Splits `accountName`, `account_name` or `billing.refund` into lower-case words. */
export function splitName(name: string): readonly string[] {
  return name
    .replaceAll(/([\p{Ll}\d])(\p{Lu})/gu, "$1 $2")
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== "");
}

/** Returns the description of a field for a question, as one short text. */
export function describeField({ name, description, options }: Field): string {
  const about = description === "" ? "" : `: ${description}`;
  const choices = options.length > 0 ? ` (${options.join(", ")})` : "";
  return `\`${name}\`${about}${choices}`;
}
