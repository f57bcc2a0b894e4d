import type { Query } from "../database.ts";

/** The rights of the login that the processes of Paraph use, and of the roles to which they switch. */
export interface Access {
  readonly login: string;
  /** The roles of Paraph to which the login may not switch. */
  readonly missingRoles: readonly string[];
  /** The rights with which a role can get around the separation of tenants. */
  readonly excessRights: readonly { readonly role: string; readonly right: string }[];
  /** The tables with rows of tenants that do not force row-level security. */
  readonly unforcedTables: readonly string[];
  readonly tenantTables: number;
}

export async function readAccess(query: Query): Promise<Access> {
  const [names] = await query<{ login: string; missingRoles: string[] }>(`
    select session_user::text as login,
           array(select name from unnest(array['paraph_app', 'paraph_sweeper']) name
                 where not exists (select from pg_roles r where r.rolname = name
                                   and pg_has_role(session_user, r.oid, 'member'))) as "missingRoles"`);
  const excessRights = await query<{ role: string; right: string }>(`
    select r.rolname::text as role, x.right
    from pg_roles r cross join lateral (values
      (r.rolsuper, 'SUPERUSER'),
      (r.rolbypassrls, 'BYPASSRLS'),
      (r.rolcreaterole, 'CREATEROLE'),
      (r.rolreplication, 'REPLICATION'),
      (not r.rolsuper and exists (select from pg_class c where c.relnamespace = to_regnamespace('paraph')
         and pg_has_role(r.oid, c.relowner, 'member')), 'the rights of the tables'' owner'),
      (not r.rolsuper and coalesce(has_schema_privilege(r.oid, to_regnamespace('paraph'), 'create'), false),
         'CREATE in the schema paraph')) x (present, "right")
    where r.rolname in (session_user, 'paraph_app', 'paraph_sweeper') and x.present
    order by 1, 2`);
  const tables = await query<{ name: string; forced: boolean }>(`
    select c.relname::text as name, c.relrowsecurity and c.relforcerowsecurity as forced
    from pg_class c
    where c.relnamespace = to_regnamespace('paraph') and c.relkind in ('r', 'p')
      and (c.relname = 'tenant' or exists (select from pg_attribute a
           where a.attrelid = c.oid and a.attname = 'tenant' and not a.attisdropped))
    order by 1`);
  return {
    ...names!,
    excessRights,
    unforcedTables: tables.filter(({ forced }) => !forced).map(({ name }) => name),
    tenantTables: tables.length,
  };
}
