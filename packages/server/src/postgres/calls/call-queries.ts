import {
  type Call,
  type Finding,
  type OutcomeKind,
  type Preview,
  type Principal,
  seesEverything,
} from "@paraph/core";
import type { Pool } from "pg";
import { withTenant } from "../database.ts";

/**
 * Lists calls for people and agents, newest first. The list is sorted by id, because ids are ordered by time. A call
 * ends at the time of its event, as in its receipt. The column `closed_at` is later, because it is the time of the
 * commit.
 */
export async function listCalls(
  app: Pool,
  principal: Principal,
  filter: {
    state?: "open" | "closed";
    capability?: string;
    outcome?: OutcomeKind;
    resolved?: boolean;
    stuck?: boolean;
    steps?: boolean;
    before?: string;
    limit: number;
  },
) {
  const rows = await withTenant(app, principal.tenant, (query) =>
    query<CallListRow>(
      `select c.id, c.capability, c.version, c.principal, c.state, c.outcome, c.outcome_code, c.created_at, e.at as closed_at,
              c.parent, c.step, c.stuck, r.finding
       from paraph.call c left join paraph.resolution r on r.tenant = c.tenant and r.call = c.id
       left join lateral (
         select at from paraph.event
         where tenant = c.tenant and call = c.id and kind = 'closed' and c.state = 'closed' order by seq desc limit 1
       ) e on true
       where c.tenant = $1 and ($2::text is null or c.principal = $2) and ($3::text is null or c.id < $3)
         and ($4::text is null or (c.state = 'closed') = ($4 = 'closed')) and ($5::text is null or c.capability = $5)
         and ($7::text is null or c.outcome = $7) and ($8::boolean is null or (r.finding is not null) = $8)
         and ($9 or c.parent is null) and (not $10 or c.stuck is not null)
       order by c.id desc limit $6`,
      [
        principal.tenant,
        toOwnerFilter(principal),
        filter.before ?? null,
        filter.state ?? null,
        filter.capability ?? null,
        filter.limit,
        filter.outcome ?? null,
        filter.resolved ?? null,
        filter.steps ?? true,
        filter.stuck ?? false,
      ],
    ),
  );
  return rows.map((row) => ({
    call: row.id,
    capability: row.capability,
    version: row.version,
    principal: row.principal,
    state: row.state,
    ...(row.outcome !== null && { outcome: { kind: row.outcome, code: row.outcome_code } }),
    createdAt: row.created_at.getTime(),
    ...(row.closed_at && { closedAt: row.closed_at.getTime() }),
    ...(row.finding !== null && { finding: row.finding }),
    ...(row.stuck !== null && { stuck: row.stuck }),
    ...(row.parent !== null && { parent: { call: row.parent, step: row.step } }),
  }));
}

/** Returns the second-to-last preview of a call, which the previous round was about. */
export async function findEarlierPreview(app: Pool, { tenant, call }: Call): Promise<Preview | undefined> {
  const rows = await withTenant(app, tenant, (query) =>
    query<{ body: string }>(
      `select body from paraph.payload where tenant = $1 and call = $2 and name = 'preview'
       order by version desc offset 1 limit 1`,
      [tenant, call],
    ),
  );
  return rows[0] && JSON.parse(rows[0].body);
}

/** Returns the signed receipt of a call as text, or undefined if the call has none. */
export async function findEnvelope(app: Pool, tenant: string, call: string): Promise<string | undefined> {
  const rows = await withTenant(app, tenant, (query) =>
    query<{ envelope: string }>("select envelope from paraph.receipt where tenant = $1 and call = $2", [
      tenant,
      call,
    ]),
  );
  return rows[0]?.envelope;
}

/** Returns the signed statement about how an unknown outcome was resolved, or undefined if it is unresolved. */
export async function findResolution(app: Pool, tenant: string, call: string): Promise<string | undefined> {
  const rows = await withTenant(app, tenant, (query) =>
    query<{ envelope: string }>("select envelope from paraph.resolution where tenant = $1 and call = $2", [
      tenant,
      call,
    ]),
  );
  return rows[0]?.envelope;
}

function toOwnerFilter(principal: Principal): string | null {
  return seesEverything(principal) ? null : principal.id;
}

interface CallListRow {
  id: string;
  capability: string;
  version: number;
  principal: string;
  state: never;
  outcome: never;
  outcome_code: string;
  created_at: Date;
  closed_at: Date | null;
  parent: string | null;
  step: string;
  finding: Finding | null;
  stuck: string | null;
}
