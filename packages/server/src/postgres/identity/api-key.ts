import type { Caller } from "@paraph/core";
import type { Pool } from "pg";
import { type CallerRow, toCaller } from "./caller.ts";
import { hashSecret } from "./secret.ts";

const keyPattern = /^paraph_([a-z][a-z0-9]{1,30})_([a-z0-9]{8})_([A-Za-z0-9-]{32,64})$/;

/** Returns the principal and the scopes of an API key, or undefined if the key is not in force. */
export async function authenticateKey(app: Pool, key: string): Promise<Caller | undefined> {
  const [, tenant, id, secret] = keyPattern.exec(key) ?? [];
  if (tenant === undefined || id === undefined || secret === undefined) return undefined;
  const text = "select paraph.authenticate($1, $2, $3) as it";
  const { rows } = await app.query<{ it: CallerRow | null }>({
    name: text,
    text,
    values: [tenant, id, hashSecret(secret)],
  });
  return toCaller(rows[0]?.it, "key");
}
