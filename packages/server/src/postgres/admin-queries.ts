import type { Freeze, FreezeKind, Json, Principal } from "@paraph/core";
import type { Pool } from "pg";
import { withTenant } from "./database.ts";
import { type PrincipalRow, toPrincipal } from "./identity/caller.ts";
import type { InFlightIntent } from "./policy/freezes.ts";
import { freezeIdsSql, isHoldableSql } from "./policy/held-calls.ts";

/** The reads that administrative capabilities make before they change something. */
export interface AdminQueries {
  findPrincipal(tenant: string, id: string): Promise<Principal | undefined>;
  hasOtherPerson(tenant: string, except: readonly string[]): Promise<boolean>;
  hasSignedIn(tenant: string, person: string): Promise<boolean>;
  listMembers(tenant: string, group: string): Promise<readonly Pick<Principal, "id" | "kind">[]>;
  /** Counts the people of a tenant, and those of each group. */
  countPeople(
    tenant: string,
  ): Promise<{ readonly all: number; readonly byGroup: ReadonlyMap<string, number> }>;
  findApiKey(
    tenant: string,
    id: string,
  ): Promise<{ readonly principal: string; readonly label?: string; readonly revoked: boolean } | undefined>;
  /** Counts the principal's keys and sessions in force, and the agents and services that the principal owns. */
  countAccess(
    tenant: string,
    id: string,
  ): Promise<{ readonly keys: number; readonly sessions: number; readonly agents: number }>;
  /**
   * Returns the impact that a freeze would have now: the number of open calls that it would hold, the agents and
   * services that it would stop, and the attempts that have already started. Held calls are counted only up to a
   * maximum. A freeze of a capability or adapter stops the agents and services with such calls.
   */
  findFreezeImpact(
    tenant: string,
    kind: FreezeKind,
    subject: string,
  ): Promise<{
    readonly held: number;
    readonly agents: number;
    readonly inFlight: readonly InFlightIntent[];
  }>;
  findFreeze(tenant: string, id: string): Promise<(Freeze & { readonly thawed: boolean }) | undefined>;
  /**
   * Counts the calls that the freeze holds: all of them, those that a thaw would wake, and those that another freeze
   * holds too.
   */
  countHeldCalls(
    tenant: string,
    freeze: string,
  ): Promise<{ readonly held: number; readonly stopped: number; readonly heldByOthers: number }>;
  findGrant(tenant: string, id: string): Promise<GrantSummary | undefined>;
  findPolicySet(tenant: string, version: string): Promise<Json | undefined>;
}

interface GrantSummary {
  readonly capability: string;
  readonly countLeft: number;
  readonly expiresAt: number;
  readonly revoked: boolean;
}

/**
 * The maximum number of held calls that are counted. An exact number is not needed, because it only shows the scale of
 * a freeze.
 */
const maxCountedCalls = 10_000;

/** Creates the administrative reads on PostgreSQL. */
export function createAdminQueries(app: Pool): AdminQueries {
  const one = async <R>(tenant: string, text: string, values: readonly unknown[]): Promise<R | undefined> =>
    (await withTenant(app, tenant, (query) => query<R>(text, values)))[0];
  return {
    async findPrincipal(tenant, id) {
      const row = await one<{ it: PrincipalRow | null }>(tenant, "select paraph.principal_of($1, $2) as it", [
        ...[tenant, id],
      ]);
      return row?.it ? toPrincipal(row.it) : undefined;
    },
    async hasOtherPerson(tenant, except) {
      const { rows } = await app.query("select paraph.has_other_person($1, $2) as it", [tenant, except]);
      return rows[0].it;
    },
    hasSignedIn: async (tenant, person) =>
      (await one(
        tenant,
        "select from paraph.principal where tenant = $1 and id = $2 and signed_in_at is not null",
        [tenant, person],
      )) !== undefined,
    listMembers: (tenant, group) =>
      withTenant(app, tenant, (query) =>
        query(
          `select p.id, p.kind from paraph.group_member m join paraph.principal p on p.tenant = m.tenant and p.id = m.principal
           where m.tenant = $1 and m.grp = $2 order by p.id`,
          [tenant, group],
        ),
      ),
    countPeople: (tenant) =>
      withTenant(app, tenant, async (query) => {
        const [row] = await query<{ people: number }>(
          "select count(*)::int as people from paraph.principal where tenant = $1 and kind = 'person'",
          [tenant],
        );
        const rows = await query<{ grp: string; people: number }>(
          `select m.grp, count(*)::int as people
           from paraph.group_member m join paraph.principal p on p.tenant = m.tenant and p.id = m.principal and p.kind = 'person'
           where m.tenant = $1 group by m.grp`,
          [tenant],
        );
        return { all: row!.people, byGroup: new Map(rows.map(({ grp, people }) => [grp, people])) };
      }),
    async findApiKey(tenant, id) {
      const row = await one<{ principal: string; label: string | null; revoked: boolean }>(
        tenant,
        "select principal, label, revoked_at is not null as revoked from paraph.api_key where tenant = $1 and id = $2",
        [tenant, id],
      );
      if (!row) return undefined;
      const { label, ...rest } = row;
      return { ...rest, ...(label !== null && { label }) };
    },
    countAccess: async (tenant, id) =>
      (await one<{ keys: number; sessions: number; agents: number }>(
        tenant,
        `select (select count(*)::int from paraph.api_key k where k.tenant = $1 and k.principal = $2 and k.revoked_at is null
                   and (k.expires_at is null or k.expires_at > paraph.now())) as keys,
                (select count(*)::int from paraph.session s where s.tenant = $1 and s.principal = $2
                   and least(s.expires_at, s.seen_at + s.idle) > paraph.now()) as sessions,
                (select count(*)::int from paraph.principal p where p.tenant = $1 and p.owner = $2 and p.disabled_at is null) as agents`,
        [tenant, id],
      ))!,
    async findFreezeImpact(tenant, kind, subject) {
      const values = [tenant, kind, subject];
      const impact = await one<{ held: number; agents: number }>(
        tenant,
        `with held as (
           select c.principal from paraph.call c where c.tenant = $1 and ${isHoldableSql} and ${coveredCondition} limit ${maxCountedCalls})
         select (select count(*)::int from held) as held,
                (select count(*)::int from paraph.principal p where p.tenant = $1 and p.kind <> 'person' and p.disabled_at is null
                   and case $2::text when 'tenant' then true when 'principal' then p.id = $3 else p.id in (select principal from held) end) as agents`,
        values,
      );
      const inFlight = await withTenant(app, tenant, (query) =>
        query<InFlightIntent>(
          `select c.id as call, c.capability, i.attempt, paraph.millis(i.at)::float8 as at
           from paraph.intent i join paraph.call c on c.tenant = i.tenant and c.id = i.call
           where i.tenant = $1 and i.ended is null and c.state <> 'closed' and ${coveredCondition} order by i.at, c.id`,
          values,
        ),
      );
      return { held: impact?.held ?? 0, agents: impact?.agents ?? 0, inFlight };
    },
    findFreeze: (tenant, id) =>
      one(
        tenant,
        `select id, kind, subject, by, paraph.millis(at)::float8 as at, thawed_at is not null as thawed
         from paraph.freeze where tenant = $1 and id = $2`,
        [tenant, id],
      ),
    async countHeldCalls(tenant, freeze) {
      const counts = await one<{ held: number; stopped: number; heldByOthers: number }>(
        tenant,
        `select count(*)::int as held, count(*) filter (where state = 'parked' and freezes = array[$2])::int as stopped,
           count(*) filter (where freezes <> array[$2])::int as "heldByOthers"
         from (select c.state, ${freezeIdsSql} as freezes from paraph.call c where c.tenant = $1 and ${isHoldableSql}) open
         where $2 = any(freezes)`,
        [tenant, freeze],
      );
      return counts ?? { held: 0, stopped: 0, heldByOthers: 0 };
    },
    findGrant: (tenant, id) =>
      one(
        tenant,
        `select capability, count_left as "countLeft", paraph.millis(expires_at)::float8 as "expiresAt", revoked_at is not null as revoked
         from paraph.standing_grant where tenant = $1 and id = $2`,
        [tenant, id],
      ),
    async findPolicySet(tenant, version) {
      const row = await one<{ document: Json }>(
        tenant,
        "select document from paraph.policy_set where tenant = $1 and version = $2",
        [tenant, version],
      );
      return row?.document;
    },
  };
}

/**
 * The SQL condition that tests whether a freeze of kind $2 and subject $3 would cover the call c. It must match the SQL
 * function `freezes_on`.
 */
const coveredCondition = `case when $2::text = 'principal' then $3 in (c.principal, c.on_behalf_of) when split_part(c.capability, '.', 1) = 'admin' then false
  when $2::text = 'tenant' then true when $2::text = 'capability' then c.capability = $3 else split_part(c.capability, '.', 1) = $3 end`;

/** Returns the ids of all tenants of this deployment. */
export async function listTenants(sweeper: Pool): Promise<readonly string[]> {
  const { rows } = await sweeper.query("select id from paraph.tenant");
  return rows.map(({ id }) => id);
}

/** Whether the deployment has another tenant. If it has, a single tenant must not decide for the whole deployment. */
export async function hasOtherTenant(sweeper: Pool, tenant: string): Promise<boolean> {
  const { rows } = await sweeper.query("select exists (select from paraph.tenant where id <> $1) as it", [
    tenant,
  ]);
  return rows[0].it;
}
