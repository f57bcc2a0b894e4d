import { canonical, type Json } from "@paraph/core";
import { z } from "zod";
import type { Answered } from "./exchange.ts";
import { withoutSecretBytes, withoutSecrets, withoutSecretsIn } from "./secret.ts";
import { halfAtTheEnd, secretForms } from "./secret-forms.ts";

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
    cut: answered.cut,
    ...contentOf(answered, secrets),
  };
}

/** The beginning of what a host said about a request it did not take: for the caller only. */
export function wordsOf(answered: Answered, secrets: readonly string[]): string {
  const { body, encoding } = contentOf(answered, secrets);
  const text = encoding === "text" ? String(body) : encoding === "json" ? JSON.stringify(body) : "";
  return text.slice(0, 2_000).trim().toWellFormed();
}

type Content = Pick<Answer, "body" | "encoding"> & { readonly cut?: true };

/** [TRUST 16] Removes the credential that the host was sent, in every form, from its answer. */
function contentOf(answered: Answered, secrets: readonly string[]): Content {
  if (answered.body.length === 0) return { body: null, encoding: "none" };
  // The request asked for no compression. A compressed answer cannot be searched for the credential.
  if (isEncoded(answered) && secrets.length > 0) return { body: null, encoding: "none", cut: true };
  const whole = withoutHalf(answered, secrets);
  const text = textOf({ ...answered, body: whole });
  if (text === undefined)
    return { body: withoutSecretBytes(whole, secrets).toString("base64"), encoding: "base64" };
  const json = isJson(answered) ? jsonOf(text) : undefined;
  return json === undefined
    ? { body: withoutSecrets(text, secrets), encoding: "text" }
    : { body: withoutSecretsIn(json, secrets), encoding: "json" };
}

/** If the text was cut inside a secret, the beginning of the secret is removed too. */
function withoutHalf({ body, cut }: Answered, secrets: readonly string[]): Buffer {
  if (!cut) return body;
  return body.subarray(0, body.length - halfAtTheEnd(body.toString("latin1"), secrets.flatMap(secretForms)));
}

function isEncoded({ headers }: Answered): boolean {
  return !["", "identity"].includes(String(headers["content-encoding"] ?? ""));
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
function textOf(answered: Answered): string | undefined {
  if (isEncoded(answered)) return undefined;
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(answered.body, { stream: answered.cut });
  } catch {
    return undefined;
  }
}
