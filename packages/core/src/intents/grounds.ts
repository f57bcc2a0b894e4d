import { isJsonObject, type Json } from "../json.ts";
import { findMoments, formatDay, formatMoment, isTimeZone } from "./calendar.ts";
import { type Field, splitName } from "./fields.ts";
import { readParts } from "./grammar.ts";
import { toConcept } from "./lexicon.ts";
import { readTokens, type Token } from "./tokens.ts";
import type { IntentRequest } from "./understanding.ts";

/** Everything in a request that a value can come from. */
export interface Grounds {
  /** The requester's own words, in lower case and without the quotations. */
  readonly own: string;
  readonly concepts: ReadonlySet<string>;
  /** The quotations. Each is a value as a whole, and no part of one is. */
  readonly quotes: readonly string[];
  readonly numbers: ReadonlySet<number>;
  readonly dates: ReadonlySet<string>;
  /** The values that the words state, each with the forms that a plan can give it. */
  readonly stated: readonly StatedValue[];
}

/** A value in the words, such as `€12.50`, and its forms in an input, such as `1250`. */
interface StatedValue {
  readonly text: string;
  readonly forms: readonly string[];
}

export function createGrounds({ words, now, timeZone }: IntentRequest): Grounds {
  const parts = readParts(words);
  const known = "kind" in parts ? [] : parts;
  const zone = timeZone !== undefined && isTimeZone(timeZone) ? timeZone : undefined;
  const own = known
    .flatMap(({ kind, text }) => (kind === "own" ? [text] : []))
    .join("\n")
    .toLowerCase();
  const tokens = readTokens(known, { now, timeZone: zone });
  return {
    own,
    concepts: new Set(own.split(/[^\p{L}\p{N}]+/u).map(toConcept)),
    quotes: known.flatMap(({ kind, text }) => (kind === "quoted" ? [text] : [])),
    numbers: new Set(tokens.flatMap(listNumbers)),
    dates: new Set(tokens.flatMap((token) => listDates(token, zone))),
    stated: tokens.flatMap((token) => toStatedValue(token, zone) ?? []),
  };
}

function toStatedValue(token: Token, timeZone: string | undefined): StatedValue | undefined {
  const { kind, text } = token;
  if (kind === "term" || kind === "quoted") return { text, forms: [text] };
  if (kind === "date") return { text, forms: listDates(token, timeZone) };
  if (kind === "number" || kind === "amount")
    return { text, forms: [text, ...listNumbers(token).map(String)] };
  return undefined;
}

/** Returns the values that the words state and that no step uses. A model may have overlooked what they belong to. */
export function findUnusedValues(
  steps: readonly { readonly capability: string; readonly input: Json }[],
  { stated }: Grounds,
): readonly string[] {
  const used = steps.flatMap(({ capability, input }) => [capability, ...listTexts(input)]);
  return stated
    .filter(
      ({ forms }) => !forms.some((form) => used.some((text) => text === form || containsWhole(text, form))),
    )
    .map(({ text }) => text);
}

function listTexts(value: Json): readonly string[] {
  if (Array.isArray(value)) return value.flatMap(listTexts);
  return isJsonObject(value) ? Object.values(value).flatMap(listTexts) : [String(value)];
}

function listNumbers(token: Token): readonly number[] {
  if (token.kind === "amount") return [token.amount.minor];
  // A number with two meanings grounds neither of them.
  return token.kind === "number" && token.values.length === 1 ? token.values : [];
}

function listDates(token: Token, timeZone: string | undefined): readonly string[] {
  if (token.kind !== "date" || token.days?.length !== 1) return [];
  const [day] = token.days;
  if (token.time === undefined) return [formatDay(day!)];
  const moments = timeZone === undefined ? [] : findMoments(day!, token.time, timeZone);
  return moments.length === 1 ? [formatMoment(moments[0]!)] : [];
}

/** Returns the first value, as a text, that the words do not contain, or undefined if they contain all of them. */
export function findUngrounded(value: Json, grounds: Grounds, field: Field | undefined): string | undefined {
  if (Array.isArray(value)) return findFirst(value, grounds, field);
  if (isJsonObject(value)) return findFirst(Object.values(value), grounds, undefined);
  return isGrounded(value, grounds, field) ? undefined : String(value).slice(0, 200);
}

function findFirst(values: readonly Json[], grounds: Grounds, field: Field | undefined): string | undefined {
  for (const one of values) {
    const doubt = findUngrounded(one, grounds, field);
    if (doubt !== undefined) return doubt;
  }
  return undefined;
}

function isGrounded(
  value: Json,
  { own, concepts, quotes, numbers, dates }: Grounds,
  field: Field | undefined,
): boolean {
  if (typeof value === "number") return numbers.has(value);
  if (typeof value === "boolean")
    return (
      value && field !== undefined && splitName(field.name).every((part) => concepts.has(toConcept(part)))
    );
  if (typeof value !== "string") return false;
  return quotes.includes(value) || dates.has(value) || containsWhole(own, value.trim().toLowerCase());
}

/** Returns whether the words contain the text with boundaries around it, so that `ana` is not found in `banana`. */
function containsWhole(own: string, text: string): boolean {
  if (text === "") return false;
  const isPart = (character: string | undefined) =>
    character !== undefined && /[\p{L}\p{N}_@/-]/u.test(character);
  for (let at = own.indexOf(text); at >= 0; at = own.indexOf(text, at + 1)) {
    const end = at + text.length;
    const next = own[end] === "." ? own[end + 1] : own[end];
    if (!isPart(own[at - 1]) && own[at - 1] !== "." && !isPart(next)) return true;
  }
  return false;
}
