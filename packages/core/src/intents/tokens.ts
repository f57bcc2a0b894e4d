import type { Day, TimeOfDay } from "./calendar.ts";
import { type DateContext, type DayPart, readDate } from "./dates.ts";
import type { WordsPart } from "./foreign-text.ts";
import { type Amount, readCurrency, readNumber, toAmount } from "./numbers.ts";

/** A piece of the words. `text` is what the requester wrote, for questions. */
export type Token =
  | { readonly kind: "word"; readonly text: string; readonly lower: string }
  /** A word that only a program would write: a path, an id, an address. */
  | { readonly kind: "term"; readonly text: string }
  | { readonly kind: "quoted"; readonly text: string }
  | { readonly kind: "amount"; readonly text: string; readonly amount: Amount }
  | { readonly kind: "number"; readonly text: string; readonly values: readonly number[] }
  | {
      readonly kind: "date";
      readonly text: string;
      readonly days?: readonly Day[];
      readonly time?: TimeOfDay;
      readonly part?: DayPart;
    }
  | { readonly kind: "mark"; readonly text: "," | ":" | "=" }
  | { readonly kind: "end"; readonly text: string };

/** A token that can become the value of a field. */
export type ValueToken = Exclude<Token, { kind: "mark" | "end" }>;

/** Splits the words into tokens. Text that is none of the known forms stays as a word, and nothing is dropped. */
export function readTokens(parts: readonly WordsPart[], context: DateContext): readonly Token[] {
  return parts.flatMap((part): readonly Token[] =>
    part.kind === "quoted" ? [{ kind: "quoted", text: part.text }] : readOwnText(part.text, context),
  );
}

function readOwnText(text: string, context: DateContext): readonly Token[] {
  const chunks = text.split(/(\s+)/).flatMap(splitChunk);
  const tokens: Token[] = [];
  for (let at = 0; at < chunks.length; ) {
    const [token, length] = readToken(chunks, at, context);
    const last = tokens.at(-1);
    const joined = last?.kind === "date" && token.kind === "date" ? joinDate(last, token) : undefined;
    if (joined) tokens[tokens.length - 1] = joined;
    else tokens.push(token);
    at += length;
  }
  return tokens;
}

type DateToken = Extract<Token, { kind: "date" }>;

/**
 * Joins a day and a time of day beside it, as in `tomorrow at 3 pm`. A second time of day is a value of its own, and
 * must not be lost.
 */
function joinDate(first: DateToken, second: DateToken): DateToken | undefined {
  const hasTime = ({ time, part }: DateToken) => time !== undefined || part !== undefined;
  if ((first.days === undefined) === (second.days === undefined)) return undefined;
  if (hasTime(first) && hasTime(second)) return undefined;
  return { ...first, ...second, text: `${first.text} ${second.text}` };
}

/** Separates punctuation from a chunk. A line break ends a sentence, as a point at the end of a word does. */
function splitChunk(chunk: string): string[] {
  if (/^\s*$/.test(chunk)) return chunk.includes("\n") ? ["\n"] : [];
  const body = chunk.replace(/^[¿¡]+/, "");
  let end = body.length;
  while (end > 0 && ".,;:!?…".includes(body[end - 1]!)) end -= 1;
  const [inner, tail] = [body.slice(0, end), body.slice(end)];
  // The point of an ordinal number belongs to it, as in `1. Dezember`.
  if (tail === "." && /^\d{1,2}$/.test(inner)) return [chunk];
  const assigned = /^([\p{L}_]+)=(.+)$/u.exec(inner);
  return [...(assigned ? [assigned[1]!, "=", assigned[2]!] : inner === "" ? [] : [inner]), ...tail];
}

function readToken(chunks: readonly string[], at: number, context: DateContext): readonly [Token, number] {
  const chunk = chunks[at]!;
  if (chunk === "," || chunk === ":" || chunk === "=") return [{ kind: "mark", text: chunk }, 1];
  if (/^[\n.;!?…]$/.test(chunk)) return [{ kind: "end", text: chunk }, 1];
  // A day can be a possessive, as in `tomorrow's review`.
  const words = chunks.slice(at, at + 8).map((one) => one.toLowerCase().replace(/['’]s$/, ""));
  const date = readDate(words, context);
  if (date) {
    const { length, ...read } = date;
    return [{ kind: "date", text: chunks.slice(at, at + length).join(" "), ...read }, length];
  }
  return readAmountToken(chunks, at) ?? [readSingle(chunk), 1];
}

/** Reads `€12.50`, `12,50€`, `EUR 12.50` or `12.50 euros`. */
function readAmountToken(chunks: readonly string[], at: number): readonly [Token, number] | undefined {
  const chunk = chunks[at]!;
  const next = chunks[at + 1] ?? "";
  const glued = /^(?:([^\d\s.,]+)(\d[\d.,'’]*)|(\d[\d.,'’]*)([^\d\s.,]+))$/u.exec(chunk);
  const attempts: readonly (readonly [string, string, number])[] = [
    ...(glued ? [[glued[1] ?? glued[4] ?? "", glued[2] ?? glued[3] ?? "", 1] as const] : []),
    [chunk, next, 2],
    [next, chunk, 2],
  ];
  for (const [currency, number, length] of attempts) {
    const currencies = readCurrency(currency);
    const amount = currencies.length > 0 ? toAmount(number, currencies) : undefined;
    if (amount) return [{ kind: "amount", text: chunks.slice(at, at + length).join(" "), amount }, length];
  }
  return undefined;
}

function readSingle(chunk: string): Token {
  const values = readNumber(chunk);
  if (values.length > 0) return { kind: "number", text: chunk, values };
  const isWord = /^[\p{L}\p{M}]+(?:['’-][\p{L}\p{M}]+)*$/u.test(chunk);
  const isTerm = /^[\p{L}\p{N}_./@:+#~*-]+$/u.test(chunk) && !isWord;
  return isTerm || /^https?:\/\/\S+$/.test(chunk)
    ? { kind: "term", text: chunk }
    : { kind: "word", text: chunk, lower: chunk.toLowerCase() };
}
