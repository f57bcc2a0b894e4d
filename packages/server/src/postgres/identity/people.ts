import type { Principal } from "@paraph/core";
import type { Pool } from "pg";
import { withTenant } from "../database.ts";

/** The result of an administrative change. `already` means that the change was made before. */
export type RowChange = "done" | "already" | "unknown" | "owner-unknown" | "taken";

/** A new API key, with the hash of its secret. */
export interface NewApiKey {
  readonly tenant: string;
  readonly id: string;
  readonly hash: string;
  readonly principal: string;
  readonly scopes?: readonly string[];
  readonly expiresAt?: number;
  readonly label?: string;
  readonly by: string;
}

/**
 * The principals, groups, keys and identities of a tenant, for administrative capabilities. Every method is one
 * transaction. A method that is repeated returns `already`.
 */
export interface IdentityStore {
  addPrincipal(principal: Principal): Promise<RowChange>;
  addToGroup(tenant: string, group: string, principal: string): Promise<RowChange>;
  removeFromGroup(tenant: string, group: string, principal: string): Promise<RowChange>;
  /** Creates a person with a login link. `linkHash` is the hash of the link. */
  invite(tenant: string, id: string, linkHash: string, lastingMs: number): Promise<RowChange>;
  createKey(key: NewApiKey): Promise<RowChange>;
  revokeKey(tenant: string, id: string): Promise<RowChange>;
  disable(tenant: string, id: string, by: string): Promise<RowChange>;
  enable(tenant: string, id: string): Promise<RowChange>;
  /** Ends a person's sessions and deletes their login links. Returns the number of ended sessions. */
  endSessions(tenant: string, id: string): Promise<number>;
  linkIdentity(tenant: string, issuer: string, subject: string, principal: string): Promise<RowChange>;
  unlinkIdentity(tenant: string, issuer: string, subject: string): Promise<RowChange>;
}

/** Creates the identity store on PostgreSQL. */
export function createIdentityStore(app: Pool): IdentityStore {
  const change = async (text: string, values: unknown[]): Promise<RowChange> =>
    (await app.query(text, values)).rows[0].it;
  return {
    addPrincipal: ({ tenant, id, kind, owner }) =>
      change("select paraph.principal_add($1, $2, $3, $4) as it", [tenant, id, kind, owner ?? null]),
    addToGroup: (...values) => change("select paraph.group_add($1, $2, $3) as it", values),
    removeFromGroup: (...values) => change("select paraph.group_remove($1, $2, $3) as it", values),
    invite: (...values) => change("select paraph.person_invite($1, $2, $3, $4) as it", values),
    createKey: ({ tenant, id, hash, principal, scopes, expiresAt, label, by }) =>
      change("select paraph.key_create($1, $2, $3, $4, $5, $6, $7, $8) as it", [
        ...[tenant, id, hash, principal, scopes ?? null],
        ...[expiresAt === undefined ? null : new Date(expiresAt), label ?? null, by],
      ]),
    revokeKey: (...values) => change("select paraph.key_revoke($1, $2) as it", values),
    disable: (...values) => change("select paraph.principal_disable($1, $2, $3) as it", values),
    enable: (...values) => change("select paraph.principal_enable($1, $2) as it", values),
    endSessions: async (...values) =>
      (await app.query("select paraph.sessions_end($1, $2) as it", values)).rows[0].it,
    linkIdentity: (...values) => change("select paraph.identity_link($1, $2, $3, $4) as it", values),
    unlinkIdentity: (...values) => change("select paraph.identity_unlink($1, $2, $3) as it", values),
  };
}

/** A page of a list. */
export interface PageRequest {
  /** The item after which the page starts. */
  readonly after?: string;
  readonly limit: number;
}

/** Lists the groups of a tenant by name, each with its members. */
export async function listGroups(app: Pool, tenant: string, { after, limit }: PageRequest) {
  return withTenant(app, tenant, (query) =>
    query<{ group: string; members: string[] }>(
      `select grp as group, array_agg(principal order by principal) as members from paraph.group_member
       where tenant = $1 and ($2::text is null or grp > $2) group by grp order by grp limit $3`,
      [tenant, after ?? null, limit],
    ),
  );
}

/** Lists the API keys of a tenant, in the order of their ids. The list does not contain their secrets. */
export async function listApiKeys(
  app: Pool,
  tenant: string,
  { principal, after, limit }: PageRequest & { readonly principal?: string },
) {
  const rows = await withTenant(app, tenant, (query) =>
    query<ApiKeyRow>(
      `select id, principal, scopes, label, created_by, created_at, expires_at, revoked_at, last_used from paraph.api_key
       where tenant = $1 and ($2::text is null or principal = $2) and ($3::text is null or id > $3) order by id limit $4`,
      [tenant, principal ?? null, after ?? null, limit],
    ),
  );
  return rows.map((row) => ({
    key: row.id,
    principal: row.principal,
    ...(row.scopes && { scopes: row.scopes }),
    ...(row.label !== null && { label: row.label }),
    ...(row.created_by !== null && { createdBy: row.created_by }),
    createdAt: row.created_at.getTime(),
    ...(row.expires_at && { expiresAt: row.expires_at.getTime() }),
    ...(row.revoked_at && { revokedAt: row.revoked_at.getTime() }),
    ...(row.last_used && { lastUsed: row.last_used.getTime() }),
  }));
}

interface ApiKeyRow {
  id: string;
  principal: string;
  scopes: string[] | null;
  label: string | null;
  created_by: string | null;
  created_at: Date;
  expires_at: Date | null;
  revoked_at: Date | null;
  last_used: Date | null;
}
