import type { Call, Envelope, Payload, Preview, RecordedEvent } from "@paraph/core";
import type { Pool } from "pg";
import { withTenant } from "../database.ts";
import { restoreEnvelope, type StoredReceipt } from "./stored-receipt.ts";

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

/** Returns every reason that people gave with their decisions about a call, oldest first. */
export async function listReasons(app: Pool, { tenant, call }: Call): Promise<readonly Payload[]> {
  const rows = await withTenant(app, tenant, (query) =>
    query<{ salt: string; body: string }>(
      "select salt, body from paraph.payload where tenant = $1 and call = $2 and name = 'reason' order by version",
      [tenant, call],
    ),
  );
  return rows.map(({ salt, body }) => ({ salt, value: JSON.parse(body) }));
}

/** Returns the signed receipt of a call, or undefined if the call has none. */
export async function findEnvelope(app: Pool, tenant: string, call: string): Promise<Envelope | undefined> {
  const rows = await withTenant(app, tenant, (query) =>
    query<{ receipt: StoredReceipt; events: readonly RecordedEvent[] }>(
      `select paraph.read_receipt(r) as receipt,
              (select json_agg(json_build_object('seq', e.seq, 'kind', e.kind, 'at', paraph.exact_millis(e.at), 'data', e.data) order by e.seq)
               from paraph.event e where e.tenant = r.tenant and e.call = r.call) as events
       from paraph.receipt r where r.tenant = $1 and r.call = $2`,
      [tenant, call],
    ),
  );
  return rows[0] && restoreEnvelope(rows[0].receipt, rows[0].events);
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
