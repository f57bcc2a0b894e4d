import { CapabilityError, type ExecutionContext } from "@paraph/core";
import { z } from "zod";
import { secretForms } from "./secret-forms.ts";

const reference = /\$\{([A-Za-z][A-Za-z0-9_-]{0,62})\}/g;

/** A text of the configuration with a secret in it, by name: `Bearer ${SHOP_TOKEN}`. */
export const secretText = z
  .string()
  .max(1_000)
  .refine(
    (text) => [...text.matchAll(reference)].length > 0,
    "name a secret in it: a dollar sign and its name in braces",
  );

/** The text with each secret in its place, and the secrets themselves. */
export async function filledIn(
  text: string,
  credential: ExecutionContext["credential"],
): Promise<{ readonly text: string; readonly secrets: readonly string[] }> {
  const secrets = new Map<string, string>();
  for (const [, name = ""] of text.matchAll(reference))
    if (!secrets.has(name)) secrets.set(name, sendable(name, await credential(name)));
  return {
    text: text.replaceAll(reference, (_, name: string) => secrets.get(name)!),
    secrets: [...secrets.values()],
  };
}

/** A line end in a secret would begin a header of its own. */
function sendable(name: string, secret: string): string {
  if (/^[\x20-\x7e]+$/.test(secret)) return secret;
  throw new CapabilityError(
    "permanent",
    "credential-unusable",
    `The secret \`${name}\` is empty or has characters in it that no header can hold: set it again.`,
  );
}

/** Hides a credential that a host sends back in any of its forms, so that it is not recorded. */
export function withoutSecrets(text: string, secrets: readonly string[]): string {
  return secrets.flatMap(secretForms).reduce((rest, form) => rest.replaceAll(form, hidden), text);
}

/** The same in every text of a value, names included. */
export function withoutSecretsIn<T>(value: T, secrets: readonly string[]): T {
  const forms = secrets.flatMap(secretForms);
  const clean = (text: string) => forms.reduce((rest, form) => rest.replaceAll(form, hidden), text);
  const within = (each: unknown): unknown => {
    if (typeof each === "string") return clean(each);
    if (Array.isArray(each)) return each.map(within);
    if (typeof each !== "object" || each === null) return each;
    return Object.fromEntries(Object.entries(each).map(([name, inner]) => [clean(name), within(inner)]));
  };
  return forms.length === 0 ? value : (within(value) as T);
}

/** The same in bytes that need not be text: one character for each byte. */
export function withoutSecretBytes(bytes: Buffer, secrets: readonly string[]): Buffer {
  const forms = secrets.flatMap(secretForms);
  if (forms.length === 0) return bytes;
  const clean = forms.reduce((rest, form) => rest.replaceAll(form, "***"), bytes.toString("latin1"));
  return Buffer.from(clean, "latin1");
}

/** The same in the message of a fault: an error may quote the credential that it is about. */
export function faultWithoutSecrets(error: unknown, secrets: readonly string[]): unknown {
  if (!(error instanceof CapabilityError) || secrets.length === 0) return error;
  const { kind, code, message, retryAfterMs } = error;
  const options = retryAfterMs === undefined ? {} : { retryAfterMs };
  return new CapabilityError(kind, code, withoutSecrets(message, secrets), options);
}

const hidden = "•••";
