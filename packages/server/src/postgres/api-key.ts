import { createHash, randomBytes } from "node:crypto";
import type { Principal } from "@paraph/core";
import type { Pool } from "pg";

/** `paraph_<tenant>_<id>_<secret>`: it names its tenant, so that its row is found without looking across tenants. */
const form = /^paraph_([a-z][a-z0-9]{1,30})_([a-z0-9]{8})_([A-Za-z0-9-]{32,64})$/;

export interface NewKey {
  readonly id: string;
  readonly hash: string;
  /** Shown once; only its hash is kept. */
  readonly key: string;
}

export function newKey(tenant: string): NewKey {
  const id = randomBytes(4).toString("hex");
  const secret = randomBytes(30).toString("base64url").replaceAll("_", "-");
  return { id, hash: hashOf(secret), key: `paraph_${tenant}_${id}_${secret}` };
}

export async function authenticate(app: Pool, key: string): Promise<Principal | undefined> {
  const [, tenant, id, secret] = form.exec(key) ?? [];
  if (tenant === undefined || id === undefined || secret === undefined) return undefined;
  const text = "select paraph.authenticate($1, $2, $3) as it";
  const { rows } = await app.query({ name: text, text, values: [tenant, id, hashOf(secret)] });
  const found = rows[0].it;
  if (!found) return undefined;
  const { owner, ...principal } = found;
  return owner === null ? principal : { ...principal, owner };
}

/** The secret is 240 random bits: a plain hash is enough, there is nothing to guess. */
function hashOf(secret: string): string {
  return createHash("sha256").update(secret).digest("hex");
}
