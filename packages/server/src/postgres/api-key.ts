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

async function authenticate(app: Pool, key: string): Promise<Principal | undefined> {
  const [, tenant, id, secret] = form.exec(key) ?? [];
  if (tenant === undefined || id === undefined || secret === undefined) return undefined;
  const text = "select paraph.authenticate($1, $2, $3) as it";
  const { rows } = await app.query({ name: text, text, values: [tenant, id, hashOf(secret)] });
  const found = rows[0].it;
  if (!found) return undefined;
  const { owner, ...principal } = found;
  return owner === null ? principal : { ...principal, owner };
}

/** The same with an answer kept for a second: a revoked key is refused everywhere within that. */
export function rememberingKeys(
  app: Pool,
  now: () => number,
): (key: string) => Promise<Principal | undefined> {
  const known = new Map<string, { readonly principal: Principal; readonly until: number }>();
  return async (key) => {
    const hash = hashOf(key);
    const remembered = known.get(hash);
    if (remembered && remembered.until > now()) return remembered.principal;
    known.delete(hash);
    const principal = await authenticate(app, key);
    if (principal) {
      if (known.size >= mostKeys) known.clear();
      known.set(hash, { principal, until: now() + 1_000 });
    }
    return principal;
  };
}

const mostKeys = 10_000;

/** The secret is 240 random bits: a plain hash is enough, there is nothing to guess. */
function hashOf(secret: string): string {
  return createHash("sha256").update(secret).digest("hex");
}
