import { CapabilityError, type ExecutionContext } from "@paraph/core";
import { z } from "zod";
import { listSecretForms } from "./secret-forms.ts";

const secretReference = /\$\{([A-Za-z][A-Za-z0-9_-]{0,62})\}/g;

/** A text of the configuration that names a secret, for example `Bearer ${SHOP_TOKEN}`. */
export const secretText = z
  .string()
  .max(1_000)
  .refine(
    (text) => [...text.matchAll(secretReference)].length > 0,
    "must refer to a secret by its name, in braces after a dollar sign",
  );

/** Replaces the names of secrets in the text with their values. Returns the new text and the values. */
export async function fillSecrets(
  text: string,
  credential: ExecutionContext["credential"],
): Promise<{ readonly text: string; readonly secrets: readonly string[] }> {
  const secrets = new Map<string, string>();
  for (const [, name = ""] of text.matchAll(secretReference))
    if (!secrets.has(name)) secrets.set(name, requireSendable(name, await credential(name)));
  return {
    text: text.replaceAll(secretReference, (_, name: string) => secrets.get(name)!),
    secrets: [...secrets.values()],
  };
}

/**
 * Returns the secret if a header can contain it, and throws otherwise. A line break inside a secret would start another
 * header.
 */
function requireSendable(name: string, secret: string): string {
  if (/^[\x20-\x7e]+$/.test(secret)) return secret;
  throw new CapabilityError(
    "permanent",
    "credential-unusable",
    `The secret \`${name}\` is empty or contains characters that a header cannot contain. Use one line of printable ASCII characters.`,
  );
}

/** Hides every form of the secrets in a text. A host may send a credential back, and Paraph must not record it. */
export function redactSecrets(text: string, secrets: readonly string[]): string {
  return secrets.flatMap(listSecretForms).reduce((rest, form) => rest.replaceAll(form, redactedMark), text);
}

/** Hides the secrets in every text of a value, including the names of properties. */
export function redactSecretsDeep<T>(value: T, secrets: readonly string[]): T {
  const forms = secrets.flatMap(listSecretForms);
  const clean = (text: string) => forms.reduce((rest, form) => rest.replaceAll(form, redactedMark), text);
  const within = (each: unknown): unknown => {
    if (typeof each === "string") return clean(each);
    if (Array.isArray(each)) return each.map(within);
    if (typeof each !== "object" || each === null) return each;
    return Object.fromEntries(Object.entries(each).map(([name, inner]) => [clean(name), within(inner)]));
  };
  return forms.length === 0 ? value : (within(value) as T);
}

/** Hides the secrets in bytes that may not be text. It treats each byte as one character. */
export function redactSecretBytes(bytes: Buffer, secrets: readonly string[]): Buffer {
  const forms = secrets.flatMap(listSecretForms);
  if (forms.length === 0) return bytes;
  const clean = forms.reduce((rest, form) => rest.replaceAll(form, "***"), bytes.toString("latin1"));
  return Buffer.from(clean, "latin1");
}

/** Hides the secrets in the message of a fault, because an error may quote the credential that it concerns. */
export function redactFault(error: unknown, secrets: readonly string[]): unknown {
  if (!(error instanceof CapabilityError) || secrets.length === 0) return error;
  const { kind, code, message, retryAfterMs } = error;
  const options = retryAfterMs === undefined ? {} : { retryAfterMs };
  return new CapabilityError(kind, code, redactSecrets(message, secrets), options);
}

const redactedMark = "•••";
