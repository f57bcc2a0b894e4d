import { queryEngine } from "../../test/support/servers/query-engine.ts";
import type { RestateUrls } from "./servers.ts";

interface WaitingSource {
  readonly restate: RestateUrls | undefined;
  query<R>(text: string): Promise<R[]>;
}

export interface WaitingCount {
  readonly rounds: number;
  readonly calls: number;
  /** The delayed messages in Restate. With PostgreSQL as the engine, the due times are in the rows of the calls. */
  readonly messages?: number;
}

/** Counts open rounds and their calls in PostgreSQL, and delayed messages in Restate. */
export async function countWaiting({ query, restate }: WaitingSource): Promise<WaitingCount> {
  const [row] = await query<{ rounds: number; calls: number }>(
    `select (select count(*) from paraph.approval where status = 'open' and expires_at > paraph.now())::int as rounds,
            (select count(*) from paraph.call where state = 'asking')::int as calls`,
  );
  const counted = { rounds: row?.rounds ?? 0, calls: row?.calls ?? 0 };
  if (!restate) return counted;
  const scheduled = "select count(*) as messages from sys_invocation where status = 'scheduled'";
  const { rows } = JSON.parse(await queryEngine(restate.adminUrl, scheduled));
  return { ...counted, messages: rows[0]?.messages ?? 0 };
}

/** States how many messages the engine has for the waiting approvals, for the coverage of a run. */
export const formatMessages = ({ messages }: Pick<WaitingCount, "messages">): string =>
  messages === undefined
    ? "their due times are in PostgreSQL"
    : `Restate has ${messages.toLocaleString("en")} messages`;
