import { createHash, randomBytes } from "node:crypto";

/** `<tenant>.<secret>`: what a session's cookie and a login link carry. */
const secretPattern = /^([a-z][a-z0-9]{1,30})\.([A-Za-z0-9_-]{40})$/;

export interface HashedSecret {
  readonly tenant: string;
  readonly hash: string;
}

export function generateSecret(tenant: string): HashedSecret & { readonly text: string } {
  const secret = randomBytes(30).toString("base64url");
  return { tenant, hash: hashSecret(secret), text: `${tenant}.${secret}` };
}

export function parseSecret(text: string): HashedSecret | undefined {
  const [, tenant, secret] = secretPattern.exec(text) ?? [];
  return tenant === undefined || secret === undefined ? undefined : { tenant, hash: hashSecret(secret) };
}

/** The secret is 240 random bits: a plain hash is enough, there is nothing to guess. */
export function hashSecret(secret: string): string {
  return createHash("sha256").update(secret).digest("hex");
}
