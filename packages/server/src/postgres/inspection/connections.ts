import type { Query } from "../database.ts";

/** The connections that PostgreSQL allows, and those that the processes of Paraph can open. */
export interface Connections {
  /** The smallest of the limits of the server, the database and the login. */
  readonly limit: number;
  /** The name of the setting that sets the limit. */
  readonly limitedBy: "max_connections" | "the limit of the database" | "the limit of the login";
  /** The connections that other programs use now. They count only against the limit of the server. */
  readonly others: number;
  /** The live processes of Paraph. */
  readonly processes: number;
  /** The hosts of these processes. */
  readonly hosts: number;
  readonly perProcess: number;
}

/** The maximum of one process: the pools of `connectDatabase`, the lease, messages and webhooks. */
const perProcess = 24;

interface ConnectionsRow {
  readonly server: number;
  readonly database: number;
  readonly login: number;
  readonly others: number;
  readonly processes: number;
  readonly hosts: number;
}

export async function readConnections(query: Query): Promise<Connections> {
  const [row] = await query<ConnectionsRow>(`
    select current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int
             - coalesce(current_setting('reserved_connections', true)::int, 0) as server,
           (select datconnlimit from pg_database where datname = current_database()) as database,
           (select rolconnlimit from pg_roles where rolname = session_user) as login,
           count(*) filter (where application_name not like 'paraph\\_%')::int as others,
           count(*) filter (where application_name = 'paraph_life' and datname = current_database())::int as processes,
           count(distinct coalesce(client_addr, '127.0.0.1')) filter
             (where application_name = 'paraph_life' and datname = current_database())::int as hosts
    from pg_stat_activity where pid <> pg_backend_pid() and usesysid is not null and datid is not null`);
  const { server, database, login, others, processes, hosts } = row!;
  const limits = [
    { limit: server, limitedBy: "max_connections" },
    { limit: database, limitedBy: "the limit of the database" },
    { limit: login, limitedBy: "the limit of the login" },
  ] as const;
  const [smallest] = limits.filter(({ limit }) => limit >= 0).sort((a, b) => a.limit - b.limit);
  return { ...smallest!, others, processes, hosts, perProcess };
}
