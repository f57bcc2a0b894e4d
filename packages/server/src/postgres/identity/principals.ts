import type { Principal } from "@paraph/core";
import type { Pool } from "pg";
import { type Query, withTenant } from "../database.ts";
import type { PageRequest } from "./people.ts";

/** Selects principals. */
interface PrincipalFilter {
  /** A part of the id. Letter case does not matter. */
  readonly q?: string;
  readonly kind?: Principal["kind"];
  readonly owner?: string;
  readonly state?: PrincipalState;
}

/** Whether a principal can act. A disabled principal is also frozen. An invited person has never logged in. */
type PrincipalState = "active" | "invited" | "frozen" | "disabled";

/** Lists the principals of a tenant by id. */
export function listPrincipals(app: Pool, tenant: string, filter: PageRequest & PrincipalFilter) {
  return withTenant(app, tenant, (query) => selectPrincipals(query, tenant, filter));
}

/** Returns a principal with the sessions in force. */
export function findPrincipalDetails(app: Pool, tenant: string, id: string) {
  return withTenant(app, tenant, async (query) => {
    const [found] = await selectPrincipals(query, tenant, { id, limit: 1 });
    if (!found) return undefined;
    const rows = await query<{ seenAt: number; endsAt: number }>(
      `select paraph.millis(seen_at)::float8 as "seenAt", paraph.millis(least(expires_at, seen_at + idle))::float8 as "endsAt"
       from paraph.session where tenant = $1 and principal = $2 and least(expires_at, seen_at + idle) > paraph.now()
       order by seen_at desc limit ${maxSessions}`,
      [tenant, id],
    );
    return { ...found, sessions: rows };
  });
}

const maxSessions = 100;

async function selectPrincipals(
  query: Query,
  tenant: string,
  { id, q, kind, owner, state, after, limit }: PageRequest & PrincipalFilter & { readonly id?: string },
) {
  const rows = await query<PrincipalRow>(principalsSql, [
    ...[tenant, after ?? null, kind ?? null, owner ?? null, q ?? null, state ?? null, id ?? null, limit],
  ]);
  return rows.map(({ owner, created_at, disabled_at, last_used, ...row }) => ({
    ...row,
    ...(owner !== null && { owner }),
    createdAt: created_at.getTime(),
    ...(disabled_at !== null && { disabledAt: disabled_at.getTime() }),
    ...(last_used !== null && { lastUsed: last_used }),
  }));
}

/** The keys and sessions are read once per page, because `api_key` has no index by principal. */
const principalsSql = `with page as (
    select * from (
      select p.*, case when p.disabled_at is not null then 'disabled'
                       when exists (select from paraph.freeze f where f.tenant = p.tenant and f.kind = 'principal' and f.subject = p.id and f.thawed_at is null) then 'frozen'
                       when p.kind = 'person' and p.signed_in_at is null then 'invited'
                       else 'active' end as state
      from paraph.principal p
      where p.tenant = $1 and ($2::text is null or p.id > $2) and ($3::text is null or p.kind = $3) and ($4::text is null or p.owner = $4)
        and ($5::text is null or strpos(lower(p.id), lower($5)) > 0) and ($7::text is null or p.id = $7)) found
    where $6::text is null or state = $6 order by id limit $8
  ), used as (
    select principal, max(at) as at from (
      select principal, last_used as at from paraph.api_key where tenant = $1 and principal in (select id from page)
      union all select principal, seen_at from paraph.session where tenant = $1 and principal in (select id from page)) access
    group by principal
  )
  select p.id, p.kind, p.owner, p.created_at, p.disabled_at, p.state, paraph.millis(used.at)::float8 as last_used,
         array(select m.grp from paraph.group_member m where m.tenant = $1 and m.principal = p.id order by m.grp) as groups,
         array(select c.channel from paraph.contact c where c.tenant = $1 and c.person = p.id
               union select 'push' from paraph.push_device d where d.tenant = $1 and d.person = p.id) as channels
  from page p left join used on used.principal = p.id order by p.id`;

interface PrincipalRow {
  id: string;
  kind: Principal["kind"];
  owner: string | null;
  state: PrincipalState;
  groups: string[];
  created_at: Date;
  disabled_at: Date | null;
  last_used: number | null;
  /** The channels with an address or a device of the person. */
  readonly channels: readonly string[];
}
