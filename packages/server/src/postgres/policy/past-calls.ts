import type { Guard, Json, OutcomeKind, Payload, Preview, Ruling, Vote } from "@paraph/core";
import type { Pool } from "pg";

/**
 * The number of calls per page. It is limited because a page with large inputs holds a few megabytes, and a reader may
 * stop after any page.
 */
const pageSize = 250;

/**
 * Creates a reader that returns a tenant's calls page by page, each call with its first policy request. It fetches the
 * next page while the caller processes the current one.
 */
export function createCallHistory(app: Pool, tenant: string) {
  return {
    async count(since: number, until: number): Promise<number> {
      const { rows } = await app.query("select paraph.count_calls($1, $2, $3)::int as calls", [
        ...[tenant, new Date(since), new Date(until)],
      ]);
      return rows[0].calls;
    },
    async *pages(since: number, until: number) {
      const fetch = async (after: string | null) => {
        const values = [tenant, new Date(since), new Date(until), after, pageSize];
        const text = "select * from paraph.past_calls($1, $2, $3, $4, $5)";
        return (await app.query<PastCallRow>({ name: text, text, values })).rows;
      };
      let coming = fetch(null);
      for (;;) {
        const rows = await coming;
        const last = rows.at(-1);
        if (!last) return;
        coming = rows.length < pageSize ? Promise.resolve([]) : fetch(last.call);
        // If the caller stops early, the error of the prefetched page must not become an unhandled rejection.
        coming.catch(() => {});
        yield rows.map(toPastCall);
      }
    },
  };
}

/**
 * Counts the rulings in a period: how many calls policy would have allowed, checked, asked about or blocked, and which
 * policies decided.
 */
export async function loadPolicyReport(
  app: Pool,
  tenant: string,
  since: number,
  until: number,
): Promise<PolicyReport> {
  const { rows } = await app.query("select paraph.policy_report($1, $2, $3) as report", [
    ...[tenant, new Date(since), new Date(until)],
  ]);
  return rows[0].report;
}

/** The rulings of a period, counted by kind, policy and capability. */
export interface PolicyReport {
  readonly calls: number;
  /**
   * The number of calls that Paraph actually checked, asked about or blocked. It is 0 if all rulings were only
   * observed.
   */
  readonly enforced: number;
  readonly rulings: Readonly<Partial<Record<Ruling["kind"], number>>>;
  readonly byPolicy: readonly PolicyCount[];
  readonly byCapability: readonly (Omit<PolicyCount, "policy"> & { readonly capability: string })[];
  /** The calls on which shadow policies would have made a different ruling. */
  readonly shadow: { readonly calls: number; readonly byPolicy: readonly PolicyCount[] };
}

interface PolicyCount {
  readonly policy: string;
  readonly ruling: Ruling["kind"];
  readonly calls: number;
}

/**
 * Returns the stored policy requests about a call, each with the salt of its commitment. Erased requests are left out.
 */
export async function listPolicyRequests(
  app: Pool,
  tenant: string,
  call: string,
): Promise<readonly Payload[]> {
  const { rows } = await app.query<{ salt: string; body: string }>("select * from paraph.requests($1, $2)", [
    ...[tenant, call],
  ]);
  return rows.map(({ salt, body }) => ({ salt, value: JSON.parse(body) as Json }));
}

interface PastCallRow {
  call: string;
  capability: string;
  contract_digest: string;
  requirements: Guard[];
  ruled: {
    ruling: Ruling["kind"];
    policies: string[];
    code?: string;
    observed?: { kind: Ruling["kind"]; policies: string[]; code?: string };
    grant?: string;
    request?: string;
    coveredBy?: Vote[];
    guards?: Guard[];
    openedAt: number;
    outcome: OutcomeKind | null;
  };
  input: string | null;
  preview: string | null;
  request: string | null;
}

function toPastCall(row: PastCallRow) {
  const { ruling, policies, code, observed, grant, request, coveredBy, guards, openedAt, outcome } =
    row.ruled;
  return {
    call: row.call,
    capability: row.capability,
    contractDigest: row.contract_digest,
    requirements: row.requirements,
    openedAt,
    ...(outcome !== null && { outcome }),
    // In observe mode, Paraph allowed every call. The comparison therefore uses the ruling that policy would have made.
    was: observed ?? {
      kind: ruling,
      policies,
      ...(code !== undefined && { code }),
      ...(guards && { guards }),
    },
    granted: grant !== undefined,
    recorded: request !== undefined,
    ...(coveredBy !== undefined && { coveredBy }),
    ...(row.request !== null && { request: JSON.parse(row.request) as never }),
    ...(row.input !== null && { input: JSON.parse(row.input) as Json }),
    ...(row.preview !== null && { preview: JSON.parse(row.preview) as Preview }),
  };
}
