import { canonical, type Json } from "@paraph/core";
import { z } from "zod";
import type { Answered } from "./exchange.ts";
import { withoutSecrets } from "./secret.ts";

/** What a caller sees of an answer. */
export const answerOutput = z.object({
  status: z.int().describe("the HTTP status"),
  headers: z.record(z.string(), z.string()).describe("those that say something about the content"),
  body: z
    .unknown()
    .describe("JSON as it is, other text as text, anything else in base64; null where there is none"),
  encoding: z.enum(["json", "text", "base64", "none"]),
  cut: z.boolean().describe("there was more of it than is kept"),
});

export interface Answer extends z.output<typeof answerOutput> {
  readonly body: Json;
}

const shownHeaders = [
  ...["content-type", "content-language", "etag", "last-modified", "link", "location"],
  ...["retry-after", "x-request-id", "x-total-count"],
];

export function answerOf(answered: Answered, secrets: readonly string[]): Answer {
  const headers = shownHeaders.flatMap((name) => {
    const value = [answered.headers[name]].flat()[0];
    return value === undefined ? [] : [[name, withoutSecrets(value, secrets).toWellFormed()] as const];
  });
  return {
    status: answered.status,
    headers: Object.fromEntries(headers),
    ...contentOf(answered, secrets),
    cut: answered.cut,
  };
}

/** The beginning of what a host said about a request it did not take: for the caller only. */
export function wordsOf(answered: Answered, secrets: readonly string[]): string {
  const text = textOf(answered);
  return text === undefined ? "" : withoutSecrets(text, secrets).slice(0, 2_000).trim().toWellFormed();
}

function contentOf(answered: Answered, secrets: readonly string[]): Pick<Answer, "body" | "encoding"> {
  if (answered.body.length === 0) return { body: null, encoding: "none" };
  const text = textOf(answered);
  if (text === undefined) return { body: answered.body.toString("base64"), encoding: "base64" };
  const clean = withoutSecrets(text, secrets);
  const json = isJson(answered) ? jsonOf(clean) : undefined;
  return json === undefined ? { body: clean, encoding: "text" } : { body: json, encoding: "json" };
}

function isJson({ headers, cut }: Answered): boolean {
  return !cut && /^[\w.+-]+\/(?:[\w.-]+\+)?json\b/i.test(headers["content-type"] ?? "");
}

/** Nothing where it is no JSON, or none that a record can hold: nested without end, or with half a character in it. */
function jsonOf(text: string): Json | undefined {
  try {
    const value: Json = JSON.parse(text);
    canonical(value);
    return value;
  } catch {
    return undefined;
  }
}

/** Nothing where it is no text. What was cut may end within a character. */
function textOf({ headers, body, cut }: Answered): string | undefined {
  if (!["", "identity"].includes(String(headers["content-encoding"] ?? ""))) return undefined;
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(body, { stream: cut });
  } catch {
    return undefined;
  }
}
