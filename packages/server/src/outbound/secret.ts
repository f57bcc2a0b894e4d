import { CapabilityError, type World } from "@paraph/core";
import { z } from "zod";

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
  credential: World["credential"],
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

/** A host may say back what it was sent: that is not for the record. */
export function withoutSecrets(text: string, secrets: readonly string[]): string {
  return secrets.reduce((rest, secret) => (secret.length < 4 ? rest : rest.replaceAll(secret, "•••")), text);
}
