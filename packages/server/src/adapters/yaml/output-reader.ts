import type { Json } from "@paraph/core";
import { isObject, jsonPath } from "./json-path.ts";
import type { OutputRule } from "./output-rule.ts";
import { patternOf } from "./pattern.ts";

/** What a tool's output says. */
export interface Reading {
  readonly text: string;
  readonly data?: Json;
  readonly tokens?: { readonly input?: number; readonly output?: number };
  readonly cost?: number;
  /** The tool's own word that it failed. */
  readonly error?: string;
  /** Why it could not be read as its rule says: the text is then all of it. */
  readonly unread?: string;
}

export type OutputReader = (output: string) => Reading;

/** Values found in the output, in order. */
type Pick = (output: Parsed) => readonly Json[];
interface Parsed {
  readonly text: string;
  /** JSON: the one value; JSON lines: each event. */
  readonly values: readonly Json[];
}

/** Whatever is wrong with the rule is added to the faults, by the field it is in. */
export function outputReader(
  rule: OutputRule,
  fault: (path: string[], message: string) => void,
): OutputReader {
  if (rule.kind === "text") return (text) => ({ text });
  const pick = (given: unknown, ...path: string[]): Pick | undefined =>
    given === undefined ? undefined : pickOf(rule.kind, given as PickRule, (message) => fault(path, message));
  const picks = {
    text: pick(rule.text, "text"),
    data: rule.kind === "json" ? pick(rule.data ?? "$", "data") : undefined,
    input: pick(rule.tokens?.input, "tokens", "input"),
    output: pick(rule.tokens?.output, "tokens", "output"),
    cost: pick(rule.cost, "cost"),
    error: pick(rule.error, "error"),
  };
  return (text) => {
    const parsed = parse(rule.kind, text);
    return parsed === undefined
      ? { text, unread: `The output is not ${called[rule.kind]}: it is given as it came.` }
      : reading(picks, parsed);
  };
}

function reading(
  picks: Record<"text" | "data" | "input" | "output" | "cost" | "error", Pick | undefined>,
  from: Parsed,
): Reading {
  const text = picks.text?.(from).map(asText).join("\n");
  const data = picks.data?.(from)[0];
  const [input, output] = [number(picks.input?.(from)), number(picks.output?.(from))];
  const cost = number(picks.cost?.(from));
  const error = picks.error?.(from).filter(meansFailure).map(asText).join("\n");
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

type PickRule = string | { when?: Record<string, Json>; path: string; take: "first" | "last" | "all" };

function pickOf(kind: OutputRule["kind"], rule: PickRule, fault: (message: string) => void): Pick {
  if (typeof rule !== "string") return eventPick(rule, fault);
  if (kind === "json") {
    const path = pathOf(rule, fault);
    return ({ values }) => values.flatMap(path);
  }
  const pattern = patternOf(rule);
  if (!pattern)
    fault("RE2 cannot run this pattern: it has no look-around and no back references, and repeats less");
  return ({ text }) => [pattern?.first(text)].filter((found) => found !== undefined);
}

function eventPick(
  { when = {}, path, take }: Exclude<PickRule, string>,
  fault: (message: string) => void,
): Pick {
  const conditions = Object.entries(when).map(([at, wanted]) => ({ at: pathOf(at, fault), wanted }));
  const wanted = pathOf(path, fault);
  return ({ values }) => {
    const found = values
      .filter((event) => conditions.every(({ at, wanted }) => at(event).includes(wanted)))
      .flatMap(wanted);
    return take === "all" ? found : take === "first" ? found.slice(0, 1) : found.slice(-1);
  };
}

function pathOf(text: string, fault: (message: string) => void) {
  const path = jsonPath(text);
  if (!path)
    fault(
      `\`${text}\` is not a path: write it as \`$.usage.tokens\`, \`$.items[0]\` or \`$.models.*.tokens\``,
    );
  return path ?? (() => []);
}

function parse(kind: "json" | "jsonl" | "regex", text: string): Parsed | undefined {
  if (kind === "regex") return { text, values: [] };
  if (kind === "json") {
    const value = json(text);
    return value === undefined ? undefined : { text, values: [value] };
  }
  // Tools put other lines between their events: warnings, banners.
  const values = text
    .split("\n")
    .map(json)
    .filter((value) => isObject(value));
  return values.length === 0 ? undefined : { text, values };
}

function json(text: string): Json | undefined {
  try {
    return wellFormed(JSON.parse(text) as Json);
  } catch {
    return undefined;
  }
}

/** `"\ud800"` is JSON, but half a character has no canonical form. */
function wellFormed(value: Json): Json {
  if (typeof value === "string") return value.toWellFormed();
  if (Array.isArray(value)) return value.map(wellFormed);
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [key.toWellFormed(), wellFormed(inner)]),
  );
}

function asText(value: Json): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}

/** Several are added up: a tool may use several models. */
function number(found: readonly Json[] | undefined): number | undefined {
  const numbers = (found ?? []).map((value) =>
    typeof value === "string" ? Number(value.replaceAll(",", "")) : value,
  );
  const real = numbers.filter(
    (value): value is number => typeof value === "number" && Number.isFinite(value) && value >= 0,
  );
  return real.length === 0 ? undefined : real.reduce((sum, value) => sum + value, 0);
}

function meansFailure(value: Json): boolean {
  return value !== false && value !== null && value !== "";
}

const called = { json: "JSON", jsonl: "JSON lines", regex: "text" } as const;
