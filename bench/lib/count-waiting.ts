import { queryEngine } from "../../test/support/servers/query-engine.ts";

interface WaitingSource {
  readonly adminUrl: string;
  query<R>(text: string): Promise<R[]>;
}

/** Counts open rounds and their calls in PostgreSQL, and delayed messages in the engine. */
export async function countWaiting({
  query,
  adminUrl,
}: WaitingSource): Promise<{ rounds: number; calls: number; messages: number }> {
  const [row] = await query<{ rounds: number; calls: number }>(
    `select (select count(*) from paraph.approval where status = 'open' and expires_at > paraph.now())::int as rounds,
            (select count(*) from paraph.call where state = 'asking')::int as calls`,
  );
  const scheduled = "select count(*) as messages from sys_invocation where status = 'scheduled'";
  const { rows } = JSON.parse(await queryEngine(adminUrl, scheduled));
  return { rounds: row?.rounds ?? 0, calls: row?.calls ?? 0, messages: rows[0]?.messages ?? 0 };
}
