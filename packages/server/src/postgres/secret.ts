import { createHash, randomBytes } from "node:crypto";

/** `<tenant>.<secret>`: what a session's cookie and a login link carry. */
const form = /^([a-z][a-z0-9]{1,30})\.([A-Za-z0-9_-]{40})$/;

export interface Secret {
  readonly tenant: string;
  readonly hash: string;
}

export function newSecret(tenant: string): Secret & { readonly text: string } {
  const secret = randomBytes(30).toString("base64url");
  return { tenant, hash: hashOf(secret), text: `${tenant}.${secret}` };
}

export function secretIn(text: string): Secret | undefined {
  const [, tenant, secret] = form.exec(text) ?? [];
  return tenant === undefined || secret === undefined ? undefined : { tenant, hash: hashOf(secret) };
}

/** The secret is 240 random bits: a plain hash is enough, there is nothing to guess. */
export function hashOf(secret: string): string {
  return createHash("sha256").update(secret).digest("hex");
}
