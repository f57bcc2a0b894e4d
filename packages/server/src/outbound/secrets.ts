import { CapabilityError, type ExecutionContext } from "@paraph/core";
import { z } from "zod";
import { listSecretForms } from "./secret-forms.ts";

const secretReference = /\$\{([A-Za-z][A-Za-z0-9_-]{0,62})\}/g;

/** A text of the configuration with a secret in it, by name: `Bearer ${SHOP_TOKEN}`. */
export const secretText = z
  .string()
  .max(1_000)
  .refine(
    (text) => [...text.matchAll(secretReference)].length > 0,
    "name a secret in it: a dollar sign and its name in braces",
  );

/** The text with each secret in its place, and the secrets themselves. */
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

/** A line end in a secret would begin a header of its own. */
function requireSendable(name: string, secret: string): string {
  if (/^[\x20-\x7e]+$/.test(secret)) return secret;
  throw new CapabilityError(
    "permanent",
    "credential-unusable",
    `The secret \`${name}\` is empty or has characters in it that no header can hold: set it again.`,
  );
}

/** Hides a credential that a host sends back in any of its forms, so that it is not recorded. */
export function redactSecrets(text: string, secrets: readonly string[]): string {
  return secrets.flatMap(listSecretForms).reduce((rest, form) => rest.replaceAll(form, redactedMark), text);
}

/** The same in every text of a value, names included. */
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

/** The same in bytes that need not be text: one character for each byte. */
export function redactSecretBytes(bytes: Buffer, secrets: readonly string[]): Buffer {
  const forms = secrets.flatMap(listSecretForms);
  if (forms.length === 0) return bytes;
  const clean = forms.reduce((rest, form) => rest.replaceAll(form, "***"), bytes.toString("latin1"));
  return Buffer.from(clean, "latin1");
}

/** The same in the message of a fault: an error may quote the credential that it is about. */
export function redactFault(error: unknown, secrets: readonly string[]): unknown {
  if (!(error instanceof CapabilityError) || secrets.length === 0) return error;
  const { kind, code, message, retryAfterMs } = error;
  const options = retryAfterMs === undefined ? {} : { retryAfterMs };
  return new CapabilityError(kind, code, redactSecrets(message, secrets), options);
}

const redactedMark = "•••";
