import { createHmac } from "node:crypto";

/** A message to sign and send. */
export interface WebhookMessage {
  /** The id, which stays the same across retries, so that the receiver recognizes a duplicate. */
  readonly id: string;
  /** The time of this attempt, in seconds since 1970. */
  readonly timestamp: number;
  readonly body: string;
}

/**
 * Returns the headers of Standard Webhooks. They contain a signature for every secret, so a receiver needs to know only
 * one of the secrets.
 */
export function createSignedHeaders(
  { id, timestamp, body }: WebhookMessage,
  secrets: string,
): Record<string, string> {
  const signatures = secrets
    .trim()
    .split(/\s+/)
    .map((secret) =>
      createHmac("sha256", parseSecret(secret)).update(`${id}.${timestamp}.${body}`).digest("base64"),
    );
  return {
    "webhook-id": id,
    "webhook-timestamp": String(timestamp),
    "webhook-signature": signatures.map((signature) => `v1,${signature}`).join(" "),
  };
}

/**
 * Decodes a secret of 24 to 64 bytes, as the standard demands. With a shorter secret, an attacker could guess a
 * signature.
 */
function parseSecret(secret: string): Buffer {
  const text = secret.replace(/^whsec_/, "");
  const key = Buffer.from(text, "base64");
  if (!/^[A-Za-z0-9+/]+=*$/.test(text) || key.length < 24 || key.length > 64)
    throw new Error("webhook-secret-invalid");
  return key;
}
