import { type Principal, seesEverything } from "@paraph/core";
import type { Pool } from "pg";
import { withTenant } from "./database.ts";

/** Lists for people and agents, newest first by id; ids are ordered by time. */
export async function listCalls(
  app: Pool,
  principal: Principal,
  filter: { state?: "open" | "closed"; capability?: string; before?: string; limit: number },
) {
  const rows = await withTenant(app, principal.tenant, (query) =>
    query<CallRow>(
      `select id, capability, version, principal, state, outcome, outcome_code, created_at, closed_at from paraph.call
       where tenant = $1 and ($2::text is null or principal = $2) and ($3::text is null or id < $3)
         and ($4::text is null or (state = 'closed') = ($4 = 'closed')) and ($5::text is null or capability = $5)
       order by id desc limit $6`,
      [
        principal.tenant,
        ownOnly(principal),
        filter.before ?? null,
        filter.state ?? null,
        filter.capability ?? null,
        filter.limit,
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
  }));
}

export async function listApprovals(
  app: Pool,
  principal: Principal,
  filter: { status: string; before?: string; limit: number },
) {
  const rows = await withTenant(app, principal.tenant, (query) =>
    query<ApprovalRow>(
      `select a.id, a.call, a.round, a.status, a.digest, a.guards, a.expires_at, c.capability, c.principal,
              (select count(*)::int from paraph.vote v where v.tenant = a.tenant and v.approval = a.id) as votes,
              (select max(e.at) from paraph.event e where e.tenant = a.tenant and e.call = a.call and e.kind = 'asked') as asked_at
       from paraph.approval a join paraph.call c on c.tenant = a.tenant and c.id = a.call
       where a.tenant = $1 and a.status = $2 and ($3::text is null or a.id < $3) order by a.id desc limit $4`,
      [principal.tenant, filter.status, filter.before ?? null, filter.limit],
    ),
  );
  return rows.map((row) => ({
    approval: row.id,
    call: row.call,
    round: row.round,
    status: row.status,
    digest: row.digest,
    capability: row.capability,
    principal: row.principal,
    guards: row.guards,
    votes: row.votes,
    askedAt: row.asked_at.getTime(),
    expiresAt: row.expires_at.getTime(),
  }));
}

export async function findEnvelope(app: Pool, tenant: string, call: string): Promise<string | undefined> {
  const rows = await withTenant(app, tenant, (query) =>
    query<{ envelope: string }>("select envelope from paraph.receipt where tenant = $1 and call = $2", [
      tenant,
      call,
    ]),
  );
  return rows[0]?.envelope;
}

/** The signed statement of what was found out about an unknown outcome, if anything was. */
export async function findResolution(app: Pool, tenant: string, call: string): Promise<string | undefined> {
  const rows = await withTenant(app, tenant, (query) =>
    query<{ envelope: string }>("select envelope from paraph.resolution where tenant = $1 and call = $2", [
      tenant,
      call,
    ]),
  );
  return rows[0]?.envelope;
}

function ownOnly(principal: Principal): string | null {
  return seesEverything(principal) ? null : principal.id;
}

interface CallRow {
  id: string;
  capability: string;
  version: number;
  principal: string;
  state: never;
  outcome: never;
  outcome_code: string;
  created_at: Date;
  closed_at: Date | null;
}

interface ApprovalRow {
  id: string;
  call: string;
  round: number;
  status: never;
  digest: string;
  guards: never;
  capability: string;
  principal: string;
  votes: number;
  asked_at: Date;
  expires_at: Date;
}
