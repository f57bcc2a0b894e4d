import type { ApproverSelection, Delegation, PossibleApprover } from "@paraph/core";
import type { Pool } from "pg";
import { withTenant } from "../database.ts";
import { type PrincipalRow, toPrincipal } from "../identity/caller.ts";

/**
 * Lists the selected people with their groups and the people they represent, by id. It leaves out people who are frozen
 * or disabled or never signed in.
 */
export async function listPossibleApprovers(
  app: Pool,
  tenant: string,
  { groups, ids = [] }: ApproverSelection,
  limit: number,
): Promise<readonly PossibleApprover[]> {
  const rows = await withTenant(app, tenant, (query) =>
    query<PersonRow>(
      `select paraph.principal_of($1, p.id) as principal, paraph.delegators_of($1, p.id) as delegations
       from paraph.principal p
       where p.tenant = $1 and p.kind = 'person' and p.disabled_at is null and p.signed_in_at is not null
         and ($2::text[] is null or p.id = any($3)
           or exists (select from paraph.group_member m where m.tenant = $1 and m.principal = p.id and m.grp = any($2))
           or exists (select from paraph.delegation d join paraph.group_member m on m.tenant = $1 and m.principal = d.person
                      where d.tenant = $1 and d.delegate = p.id and d.revoked_at is null and m.grp = any($2)))
         and paraph.barred($1, p.id) is null
       order by p.id limit $4`,
      [tenant, groups ?? null, ids, limit],
    ),
  );
  return rows.map(({ principal, delegations }) => ({ principal: toPrincipal(principal), delegations }));
}

interface PersonRow {
  readonly principal: PrincipalRow;
  readonly delegations: readonly Delegation[];
}
