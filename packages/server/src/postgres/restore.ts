import { type OutcomeKind, ParaphError } from "@paraph/core";
import { Client } from "pg";
import { systemRandom } from "../system/system-random.ts";

/** A restore of the database from a backup. */
export interface RestoreRequest {
  /** The point in time to which the database was restored. */
  readonly to: Date;
  readonly reason: string;
  /** Whether to check everything and then change nothing. */
  readonly dryRun?: boolean;
}

/** The recorded restore, and the freeze of each tenant. */
export interface RecordedRestore {
  readonly at: number;
  readonly tenants: readonly {
    readonly tenant: string;
    /** The id of the new freeze. Missing in a dry run, which creates none. */
    readonly freeze?: string;
    readonly openCalls: number;
  }[];
}

type RestoreAnswer = RecordedRestore | { readonly refused: string; readonly newest?: string };

/**
 * Records that the database was restored from a backup, and freezes every tenant, in one transaction. Runs as the owner
 * of the database, before any Paraph process starts on it. From then on, no call from before the restore acts unless its
 * contract shows that a second effect is impossible or harmless.
 */
export async function recordRestore(
  ownerUrl: string,
  { to, reason, dryRun = false }: RestoreRequest,
): Promise<RecordedRestore> {
  const client = new Client({ connectionString: ownerUrl, connectionTimeoutMillis: 10_000 });
  await client.connect();
  try {
    await client.query("begin");
    const tenants = (await client.query("select id from paraph.tenant")).rows as { id: string }[];
    const freezes = Object.fromEntries(tenants.map(({ id }) => [id, systemRandom.id("freeze")]));
    const { rows } = await client.query("select paraph.record_restore($1, $2, $3) as it", [
      to,
      reason,
      JSON.stringify(freezes),
    ]);
    const answer = rows[0].it as RestoreAnswer;
    if ("refused" in answer) throw toRefusal(answer.refused, answer.newest ?? "", to);
    await client.query(dryRun ? "rollback" : "commit");
    if (!dryRun) return answer;
    return { ...answer, tenants: answer.tenants.map(({ tenant, openCalls }) => ({ tenant, openCalls })) };
  } finally {
    await client.end();
  }
}

/** The idempotency key of a call and its outcome, which is undefined while the call is open. */
export interface CallStanding {
  readonly key: string;
  readonly outcome?: OutcomeKind;
}

/** Returns the standing of each of these calls that the database knows, as the owner of the database. */
export async function findCallStandings(
  ownerUrl: string,
  calls: readonly string[],
): Promise<ReadonlyMap<string, CallStanding>> {
  const client = new Client({ connectionString: ownerUrl, connectionTimeoutMillis: 10_000 });
  await client.connect();
  try {
    const { rows } = await client.query(
      "select c.id, c.key, c.outcome from paraph.tenant t join paraph.call c on c.tenant = t.id where c.id = any ($1)",
      [calls],
    );
    return new Map(
      rows.map(({ id, key, outcome }) => [id as string, { key, ...(outcome !== null && { outcome }) }]),
    );
  } finally {
    await client.end();
  }
}

function toRefusal(reason: string, newest: string, to: Date): ParaphError {
  const newestText = newest === "" ? "" : new Date(newest).toISOString();
  const texts: Readonly<Record<string, string>> = {
    running:
      "A Paraph process runs on this database, so nothing was changed. Stop every Paraph process, then run the command again.",
    "clock-behind": `The newest call is from ${newestText}, which is later than the database's clock. Correct the clock of the database server, then run the command again.`,
    "newer-calls": `The newest call is from ${newestText}, but the given time is ${to.toISOString()}. Pass the time to which the database was really restored.`,
  };
  return new ParaphError("input-invalid", texts[reason] ?? reason);
}
