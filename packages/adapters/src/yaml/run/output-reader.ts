import { isJsonObject, type Json } from "@paraph/core";
import { parseJsonPath } from "../definition/json-path.ts";
import type { OutputRule } from "../definition/output-rule.ts";
import { compilePattern } from "../definition/pattern.ts";
import { type CustomReaders, createCustomReader } from "./custom-reader.ts";
import { toWellFormedJson } from "./well-formed-json.ts";

/** The parsed output of a tool. */
export interface OutputReading {
  readonly text: string;
  readonly data?: Json;
  readonly tokens?: { readonly input?: number; readonly output?: number };
  readonly cost?: number;
  /** The error that the tool itself reports. */
  readonly error?: string;
  /**
   * The reason why Paraph could not parse the output by the rule in the tool's file. In that case, `text` holds the
   * whole output.
   */
  readonly unread?: string;
}

export type OutputReader = (output: string) => OutputReading;

/** A function that picks values from the output, in order. */
type ValuePicker = (output: OutputValues) => readonly Json[];
interface OutputValues {
  readonly text: string;
  /** The parsed values: the single value for JSON, or each event for JSON lines. */
  readonly values: readonly Json[];
}

/** Creates the reader for an output rule. Reports each fault in the rule with the field that it concerns. */
export function createOutputReader(
  rule: OutputRule,
  fault: (path: string[], message: string) => void,
  custom: CustomReaders = {},
): OutputReader {
  if (rule.kind === "text") return (text) => ({ text });
  if (rule.kind === "code")
    return createCustomReader(rule.reader, custom, (message) => fault(["reader"], message));
  const pick = (given: unknown, ...path: string[]): ValuePicker | undefined =>
    given === undefined
      ? undefined
      : createPicker(rule.kind, given as PickRule, (message) => fault(path, message));
  const picks = {
    text: pick(rule.text, "text"),
    data: rule.kind === "json" ? pick(rule.data ?? "$", "data") : undefined,
    input: pick(rule.tokens?.input, "tokens", "input"),
    output: pick(rule.tokens?.output, "tokens", "output"),
    cost: pick(rule.cost, "cost"),
    error: pick(rule.error, "error"),
  };
  return (text) => {
    const parsed = parseOutput(rule.kind, text);
    return parsed === undefined
      ? { text, unread: `The output is not ${kindNames[rule.kind]}. Paraph returns it unchanged.` }
      : readOutput(picks, parsed);
  };
}

function readOutput(
  picks: Record<"text" | "data" | "input" | "output" | "cost" | "error", ValuePicker | undefined>,
  from: OutputValues,
): OutputReading {
  const text = picks.text?.(from).map(toText).join("\n");
  const data = picks.data?.(from)[0];
  const [input, output] = [sumNumbers(picks.input?.(from)), sumNumbers(picks.output?.(from))];
  const cost = sumNumbers(picks.cost?.(from));
  const error = picks.error?.(from).filter(isFailure).map(toText).join("\n");
  return {
    text: text ?? from.text,
    ...(data !== undefined && { data }),
    ...((input !== undefined || output !== undefined) && {
      tokens: {
        ...(input !== undefined && { input: Math.round(input) }),
        ...(output !== undefined && { output: Math.round(output) }),
      },
    }),
    ...(cost !== undefined && { cost }),
    ...(error && { error }),
  };
}

/** The kinds of rules that pick values. */
type PickKind = Exclude<OutputRule["kind"], "text" | "code">;
type PickRule = string | { when?: Record<string, Json>; path: string; take: "first" | "last" | "all" };

function createPicker(kind: PickKind, rule: PickRule, fault: (message: string) => void): ValuePicker {
  if (typeof rule !== "string") return createEventPicker(rule, fault);
  if (kind === "json") {
    const path = requireJsonPath(rule, fault);
    return ({ values }) => values.flatMap(path);
  }
  const pattern = compilePattern(rule);
  if (!pattern)
    fault(
      "RE2 does not support this pattern: remove look-arounds and back references, and reduce repetitions",
    );
  return ({ text }) => [pattern?.findFirst(text)].filter((found) => found !== undefined);
}

function createEventPicker(
  { when = {}, path, take }: Exclude<PickRule, string>,
  fault: (message: string) => void,
): ValuePicker {
  const conditions = Object.entries(when).map(([at, wanted]) => ({ at: requireJsonPath(at, fault), wanted }));
  const wanted = requireJsonPath(path, fault);
  return ({ values }) => {
    const found = values
      .filter((event) => conditions.every(({ at, wanted }) => at(event).includes(wanted)))
      .flatMap(wanted);
    return take === "all" ? found : take === "first" ? found.slice(0, 1) : found.slice(-1);
  };
}

function requireJsonPath(text: string, fault: (message: string) => void) {
  const path = parseJsonPath(text);
  if (!path)
    fault(
      `\`${text}\` is not a path: write it as \`$.usage.tokens\`, \`$.items[0]\` or \`$.models.*.tokens\``,
    );
  return path ?? (() => []);
}

function parseOutput(kind: PickKind, text: string): OutputValues | undefined {
  if (kind === "regex") return { text, values: [] };
  if (kind === "json") {
    const value = parseJson(text);
    return value === undefined ? undefined : { text, values: [value] };
  }
  // Skips lines that are not events, because tools also print other lines, such as warnings and banners.
  const values = text
    .split("\n")
    .map(parseJson)
    .filter((value) => isJsonObject(value));
  return values.length === 0 ? undefined : { text, values };
}

function parseJson(text: string): Json | undefined {
  try {
    return toWellFormedJson(JSON.parse(text) as Json);
  } catch {
    return undefined;
  }
}

function toText(value: Json): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}

/** Adds up all values, because a tool may use several models and report a number for each. */
function sumNumbers(found: readonly Json[] | undefined): number | undefined {
  const numbers = (found ?? []).map((value) =>
    typeof value === "string" ? Number(value.replaceAll(",", "")) : value,
  );
  const real = numbers.filter(
    (value): value is number => typeof value === "number" && Number.isFinite(value) && value >= 0,
  );
  return real.length === 0 ? undefined : real.reduce((sum, value) => sum + value, 0);
}

function isFailure(value: Json): boolean {
  return value !== false && value !== null && value !== "";
}

const kindNames = { json: "JSON", jsonl: "JSON lines", regex: "text" } as const;
