import type { Call, OutcomeKind } from "@paraph/core";
import type { Pool } from "pg";
import { withTenant } from "../database.ts";

/** The maximum number of calls that the query scans, so that the cost of the query does not grow with the ledger. */
const maxScannedCalls = 5_000;

/**
 * Counts the outcomes of the principal's earlier calls of the same capability. It scans only the principal's newest
 * calls.
 */
export async function summarizePastCalls(app: Pool, { tenant, call, capability, principal }: Call) {
  const rows = await withTenant(app, tenant, (query) =>
    query<OutcomeRow>(
      `with newest as materialized (
         select capability, outcome, closed_at from paraph.call
         where tenant = $1 and principal = $2 and id < $3 order by id desc limit $5
       )
       select outcome, count(*)::int as calls, max(closed_at) as last, (select count(*)::int from newest) as looked
       from newest where capability = $4 and outcome is not null group by outcome`,
      [tenant, principal.id, call, capability, maxScannedCalls],
    ),
  );
  const denied = rows.find(({ outcome }) => outcome === "denied");
  return {
    outcomes: Object.fromEntries(rows.map(({ outcome, calls }) => [outcome, calls])),
    ...(denied && { lastDeniedAt: denied.last.getTime() }),
    ...(rows[0]?.looked === maxScannedCalls && { newest: maxScannedCalls }),
  };
}

interface OutcomeRow {
  outcome: OutcomeKind;
  calls: number;
  last: Date;
  looked: number;
}
