import { canonical, type Json } from "@paraph/core";
import { z } from "zod";
import { listSecretForms, measurePartialSecret } from "./secret-forms.ts";
import { redactSecretBytes, redactSecrets, redactSecretsDeep } from "./secrets.ts";
import type { RawResponse } from "./send-request.ts";

/** The schema of the response that a caller sees. */
export const responseOutput = z.object({
  status: z.int().describe("the HTTP status"),
  headers: z.record(z.string(), z.string()).describe("headers that describe the content"),
  body: z
    .unknown()
    .describe("JSON as a value, other text as text, anything else in base64; null if there is no body"),
  encoding: z.enum(["json", "text", "base64", "none"]),
  cut: z.boolean().describe("whether the body was truncated"),
});

export interface ResponseOutput extends z.output<typeof responseOutput> {
  readonly body: Json;
}

const visibleHeaders = [
  ...["content-type", "content-language", "etag", "last-modified", "link", "location"],
  ...["retry-after", "x-request-id", "x-total-count"],
];

/** Converts a response to the output for a caller, without secrets. */
export function toResponseOutput(answered: RawResponse, secrets: readonly string[]): ResponseOutput {
  const headers = visibleHeaders.flatMap((name) => {
    const value = [answered.headers[name]].flat()[0];
    return value === undefined ? [] : [[name, redactSecrets(value, secrets).toWellFormed()] as const];
  });
  return {
    status: answered.status,
    headers: Object.fromEntries(headers),
    cut: answered.cut,
    ...toResponseContent(answered, secrets),
  };
}

/** Returns the beginning of the host's error text. It is only for the caller. */
export function readErrorText(answered: RawResponse, secrets: readonly string[]): string {
  const { body, encoding } = toResponseContent(answered, secrets);
  const text = encoding === "text" ? String(body) : encoding === "json" ? JSON.stringify(body) : "";
  return text.slice(0, 2_000).trim().toWellFormed();
}

type ResponseContent = Pick<ResponseOutput, "body" | "encoding"> & { readonly cut?: true };

/**
 * [TRUST 16] Returns the content of the response. Removes every form of the credential that Paraph sent to the host.
 */
function toResponseContent(answered: RawResponse, secrets: readonly string[]): ResponseContent {
  if (answered.body.length === 0) return { body: null, encoding: "none" };
  // The host compressed the response although the request asked for an uncompressed one. Paraph omits the body, because
  // it cannot search a compressed body for the credential.
  if (isCompressed(answered) && secrets.length > 0) return { body: null, encoding: "none", cut: true };
  const whole = dropPartialSecret(answered, secrets);
  const text = decodeText({ ...answered, body: whole });
  if (text === undefined)
    return { body: redactSecretBytes(whole, secrets).toString("base64"), encoding: "base64" };
  const json = isJsonResponse(answered) ? parseRecordableJson(text) : undefined;
  return json === undefined
    ? { body: redactSecrets(text, secrets), encoding: "text" }
    : { body: redactSecretsDeep(json, secrets), encoding: "json" };
}

/** Removes the beginning of a secret from the end of a body that was cut inside that secret. */
function dropPartialSecret({ body, cut }: RawResponse, secrets: readonly string[]): Buffer {
  if (!cut) return body;
  return body.subarray(
    0,
    body.length - measurePartialSecret(body.toString("latin1"), secrets.flatMap(listSecretForms)),
  );
}

function isCompressed({ headers }: RawResponse): boolean {
  return !["", "identity"].includes(String(headers["content-encoding"] ?? ""));
}

function isJsonResponse({ headers, cut }: RawResponse): boolean {
  return !cut && /^[\w.+-]+\/(?:[\w.-]+\+)?json\b/i.test(headers["content-type"] ?? "");
}

/**
 * Parses JSON. Returns undefined if the text is not JSON, or if its depth or an unpaired surrogate prevents Paraph from
 * recording it.
 */
function parseRecordableJson(text: string): Json | undefined {
  try {
    const value: Json = JSON.parse(text);
    canonical(value);
    return value;
  } catch {
    return undefined;
  }
}

/**
 * Decodes the body as UTF-8. Returns undefined if the body is not text. Omits an incomplete character at the end of a
 * cut body.
 */
function decodeText(answered: RawResponse): string | undefined {
  if (isCompressed(answered)) return undefined;
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(answered.body, { stream: answered.cut });
  } catch {
    return undefined;
  }
}
