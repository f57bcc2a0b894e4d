import { createHash, randomBytes } from "node:crypto";

/** The form of session cookies and login links: `<tenant>.<secret>`. */
const secretPattern = /^([a-z][a-z0-9]{1,30})\.([A-Za-z0-9_-]{40})$/;

/** The tenant of a secret, and the hash that Paraph stores instead of the secret. */
export interface HashedSecret {
  readonly tenant: string;
  readonly hash: string;
}

/** Generates a secret for a session or a login link of the tenant. */
export function generateSecret(tenant: string): HashedSecret & { readonly text: string } {
  const secret = randomBytes(30).toString("base64url");
  return { tenant, hash: hashSecret(secret), text: `${tenant}.${secret}` };
}

/** Parses the text of a secret, or returns undefined if its form is wrong. */
export function parseSecret(text: string): HashedSecret | undefined {
  const [, tenant, secret] = secretPattern.exec(text) ?? [];
  return tenant === undefined || secret === undefined ? undefined : { tenant, hash: hashSecret(secret) };
}

/** Hashes a secret. A plain hash is enough, because the secret has 240 random bits and cannot be guessed. */
export function hashSecret(secret: string): string {
  return createHash("sha256").update(secret).digest("hex");
}
