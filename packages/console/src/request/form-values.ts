import { escapeInvisibleJson, hasInvisible } from "@paraph/core/escape-invisible";
import { isObject, parseJson } from "../lib/json.ts";
import type { Field } from "./schema-fields.ts";

/** The texts of a form by the path of their field. A missing text and an empty one mean that the field is empty. */
export type FormTexts = Readonly<Record<string, string>>;

/** The input that a form states, or why it states none, by the path of the field. */
export type FormInput =
  | { readonly kind: "input"; readonly input: Readonly<Record<string, unknown>> }
  | { readonly kind: "faults"; readonly faults: ReadonlyMap<string, string> };

/** Reads the input from the texts of a form. Empty fields are left out. The server validates everything else. */
export function readForm(fields: readonly Field[], texts: FormTexts): FormInput {
  const faults = new Map<string, string>();
  const input = readGroup(fields, texts, true, faults);
  return faults.size > 0 ? { kind: "faults", faults } : { kind: "input", input: input ?? {} };
}

function readGroup(
  fields: readonly Field[],
  texts: FormTexts,
  isNeeded: boolean,
  faults: Map<string, string>,
): Record<string, unknown> | undefined {
  if (!isNeeded && fields.every((field) => isEmpty(field, texts))) return undefined;
  const values = fields.map((field) => [field.name, readValue(field, texts, faults)] as const);
  return Object.fromEntries(values.filter(([, value]) => value !== undefined));
}

function isEmpty({ path, fields }: Field, texts: FormTexts): boolean {
  return fields ? fields.every((field) => isEmpty(field, texts)) : (texts[path] ?? "") === "";
}

function readValue(field: Field, texts: FormTexts, faults: Map<string, string>): unknown {
  const { kind, path, isRequired, fields = [], options = [], isWhole, hasNumbers } = field;
  if (kind === "group") return readGroup(fields, texts, isRequired, faults);
  const text = texts[path] ?? "";
  if (text === "") {
    if (isRequired) faults.set(path, "This field is required.");
    return undefined;
  }
  const readNumber = (written: string) => {
    const value = Number(written);
    if (written.trim() === "" || !Number.isFinite(value)) faults.set(path, "This is not a number.");
    else if (isWhole && !Number.isInteger(value)) faults.set(path, "This is not a whole number.");
    return value;
  };
  switch (kind) {
    case "text":
      return text;
    case "number":
      return readNumber(text);
    case "boolean":
      return text === "true";
    case "choice":
      return options[Number(text)];
    case "list": {
      const lines = text.split("\n").filter((line) => line.trim() !== "");
      return hasNumbers ? lines.map(readNumber) : lines;
    }
    case "json": {
      const parsed = parseJson(text);
      if (!parsed) faults.set(path, "This is not JSON.");
      return parsed?.value;
    }
  }
}

/**
 * [TRUST 5] Returns the texts with which a form states this input, or undefined if the form cannot state it. A control
 * would show hidden characters as they are, so a text that has some is written as JSON with escapes.
 */
export function writeForm(fields: readonly Field[], input: unknown): FormTexts | undefined {
  const texts: Record<string, string> = {};
  return writeGroup(fields, input, texts) ? texts : undefined;
}

function writeGroup(fields: readonly Field[], input: unknown, texts: Record<string, string>): boolean {
  if (!isObject(input)) return false;
  const known = new Map(fields.map((field) => [field.name, field]));
  return Object.entries(input).every(([name, value]) => {
    const field = known.get(name);
    if (!field) return false;
    if (field.kind === "group") return writeGroup(field.fields ?? [], value, texts);
    const text = writeValue(field, value);
    if (text === undefined || text === "") return false;
    texts[field.path] = text;
    return true;
  });
}

function writeValue({ kind, options = [], hasNumbers }: Field, value: unknown): string | undefined {
  switch (kind) {
    case "text":
      return typeof value === "string" && !hasInvisible(value) ? value : undefined;
    case "number":
      return typeof value === "number" ? String(value) : undefined;
    case "boolean":
      return typeof value === "boolean" ? String(value) : undefined;
    case "choice": {
      const index = options.findIndex((option) => JSON.stringify(option) === JSON.stringify(value));
      return index < 0 ? undefined : String(index);
    }
    case "list": {
      const wanted = hasNumbers ? "number" : "string";
      const isPlain = (item: unknown) =>
        typeof item === wanted &&
        String(item).trim() !== "" &&
        !String(item).includes("\n") &&
        !hasInvisible(String(item));
      return Array.isArray(value) && value.length > 0 && value.every(isPlain) ? value.join("\n") : undefined;
    }
    case "json":
      return escapeInvisibleJson(value, 2);
    case "group":
      return undefined;
  }
}
