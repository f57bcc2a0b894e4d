import type { Guard, Json, Payload, Preview, Ruling, Vote } from "@paraph/core";
import type { Pool } from "pg";

/** How many calls are fetched at once: a few megabytes where inputs are large, and few enough to stop soon. */
const pageSize = 250;

/** The calls of a tenant as policy first met them, page by page, the next being fetched while one is looked at. */
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
        // Whoever stops looking leaves a page behind, and its error with it.
        coming.catch(() => {});
        yield rows.map(toPastCall);
      }
    },
  };
}

/** What policy said in a span of time: how many calls it would have let pass, checked, asked about and blocked, and by what. */
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

export interface PolicyReport {
  readonly calls: number;
  /** How many were really checked, asked about or blocked: none where everything was only observed. */
  readonly hindered: number;
  readonly rulings: Readonly<Partial<Record<Ruling["kind"], number>>>;
  readonly byPolicy: readonly PolicyCount[];
  readonly byCapability: readonly (Omit<PolicyCount, "policy"> & { readonly capability: string })[];
  /** Calls that policies in shadow would have ruled on otherwise. */
  readonly shadow: { readonly calls: number; readonly byPolicy: readonly PolicyCount[] };
}

interface PolicyCount {
  readonly policy: string;
  readonly ruling: Ruling["kind"];
  readonly calls: number;
}

/** Every question about a call that was put to policy and has not been erased, with the salts of their commitments. */
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
  };
  input: string | null;
  preview: string | null;
  request: string | null;
}

function toPastCall(row: PastCallRow) {
  const { ruling, policies, code, observed, grant, request, coveredBy } = row.ruled;
  return {
    call: row.call,
    capability: row.capability,
    contractDigest: row.contract_digest,
    requirements: row.requirements,
    // In observe mode everything was allowed; what counts is what policy thought of it.
    was: observed ?? { kind: ruling, policies, ...(code !== undefined && { code }) },
    granted: grant !== undefined,
    recorded: request !== undefined,
    ...(coveredBy !== undefined && { coveredBy }),
    ...(row.request !== null && { request: JSON.parse(row.request) as never }),
    ...(row.input !== null && { input: JSON.parse(row.input) as Json }),
    ...(row.preview !== null && { preview: JSON.parse(row.preview) as Preview }),
  };
}
