import { createHmac, timingSafeEqual } from "node:crypto";

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
  return {
    "webhook-id": id,
    "webhook-timestamp": String(timestamp),
    "webhook-signature": sign({ id, timestamp, body }, secrets).join(" "),
  };
}

/** The tolerance between the time of a received message and the current time. */
const maxAgeSeconds = 300;

/**
 * [TRUST 4] Returns whether one of the secrets signed a received message, within the last five minutes. A message that
 * arrives twice is valid twice, so every effect must recognise itself.
 */
export function isSignedMessage(
  message: WebhookMessage,
  signatures: string,
  secrets: string,
  now: number,
): boolean {
  const { id, timestamp } = message;
  if (id === "" || !Number.isInteger(timestamp) || Math.abs(now / 1_000 - timestamp) > maxAgeSeconds)
    return false;
  const expected = sign(message, secrets).map((signature) => Buffer.from(signature));
  return signatures
    .split(" ")
    .map((signature) => Buffer.from(signature))
    .some((given) => expected.some((one) => one.length === given.length && timingSafeEqual(one, given)));
}

function sign({ id, timestamp, body }: WebhookMessage, secrets: string): readonly string[] {
  return secrets
    .trim()
    .split(/\s+/)
    .map((secret) => {
      const mac = createHmac("sha256", parseSecret(secret)).update(`${id}.${timestamp}.${body}`);
      return `v1,${mac.digest("base64")}`;
    });
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
