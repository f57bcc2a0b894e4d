import type { Principal } from "@paraph/core";
import type { Pool } from "pg";
import { type PrincipalRow, toPrincipal } from "./caller.ts";

/** What an issuer says of a subject. */
export interface ExternalIdentity {
  readonly issuer: string;
  readonly subject: string;
  /** The groups it claims for them, and when it said so. */
  readonly groups?: { readonly names: readonly string[]; readonly at: number };
  /** The id of the person to be made where the subject is new. */
  readonly create?: string;
}

/** The principal that an issuer's subject stands for in this tenant, with the groups it is in by now. */
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
