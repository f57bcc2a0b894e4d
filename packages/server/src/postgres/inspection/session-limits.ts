import type { Query } from "../database.ts";

/** The timeouts of PostgreSQL that Paraph does not set for its own sessions. In milliseconds, and 0 means off. */
export interface SessionLimits {
  readonly idleSessionMs: number;
  readonly transactionMs: number;
}

/** `pg_settings` gives these settings in milliseconds. PostgreSQL has `transaction_timeout` since version 17. */
export async function readSessionLimits(query: Query): Promise<SessionLimits> {
  const rows = await query<{ name: string; ms: number }>(
    "select name, setting::float8 as ms from pg_settings where name in ('idle_session_timeout', 'transaction_timeout')",
  );
  const read = (name: string) => rows.find((row) => row.name === name)?.ms ?? 0;
  return { idleSessionMs: read("idle_session_timeout"), transactionMs: read("transaction_timeout") };
}
