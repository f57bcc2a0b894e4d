import type { Client } from "pg";
import { generateSecret } from "./secret.ts";

const lifetimeMs = 60 * 60_000;

/** Creates a login link as the owner of the database, and returns its token. The link works once, within one hour. */
export async function createLoginLink(client: Client, tenant: string, person: string): Promise<string> {
  const { hash, text: token } = generateSecret(tenant);
  await client.query(
    "insert into paraph.login_link (tenant, hash, principal, expires_at) values ($1, $2, $3, paraph.now() + make_interval(secs => $4))",
    [tenant, hash, person, lifetimeMs / 1_000],
  );
  return token;
}
