import { createHmac } from "node:crypto";

export interface WebhookMessage {
  /** The same whenever the message is sent again: how its receiver knows that it has it. */
  readonly id: string;
  /** Seconds since 1970, of this attempt. */
  readonly timestamp: number;
  readonly body: string;
}

/** The headers of Standard Webhooks: signed with every secret there is, so that a receiver may know either. */
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

/** The standard asks for 24 to 64 bytes: with less, a signature could be guessed. */
function parseSecret(secret: string): Buffer {
  const text = secret.replace(/^whsec_/, "");
  const key = Buffer.from(text, "base64");
  if (!/^[A-Za-z0-9+/]+=*$/.test(text) || key.length < 24 || key.length > 64)
    throw new Error("webhook-secret-invalid");
  return key;
}
