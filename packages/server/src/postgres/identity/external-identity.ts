import type { Principal } from "@paraph/core";
import type { Pool } from "pg";
import { type PrincipalRow, toPrincipal } from "./caller.ts";

/** The identity that an issuer asserts about a subject. */
export interface ExternalIdentity {
  readonly issuer: string;
  readonly subject: string;
  /** The groups that the issuer asserts, and the time of the assertion. */
  readonly groups?: { readonly names: readonly string[]; readonly at: number };
  /** The id of the person to create if the subject is new. */
  readonly create?: string;
}

/**
 * Returns the principal of an issuer's subject in this tenant, with its current groups, or undefined if there is none.
 */
export async function resolveExternalPrincipal(
  app: Pool,
  tenant: string,
  { issuer, subject, groups, create }: ExternalIdentity,
): Promise<Principal | undefined> {
  const text = "select paraph.external_principal($1, $2, $3, $4, $5, $6) as it";
  const at = groups && new Date(groups.at);
  const values = [tenant, issuer, subject, groups?.names ?? null, at ?? null, create ?? null];
  const { rows } = await app.query<{ it: PrincipalRow | null }>({ name: text, text, values });
  const found = rows[0]?.it;
  return found ? toPrincipal(found) : undefined;
}
