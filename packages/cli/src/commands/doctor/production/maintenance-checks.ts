import { formatCount } from "../../../lib/terminal/format-count.ts";
import { formatDuration } from "../../../lib/terminal/format-time.ts";
import type { DatabaseFacts } from "./database-facts.ts";
import { type CheckDefinition, fail, ok, skipped, warn } from "./production-check.ts";

const subject = "Vacuum";
const maxTransactionMs = 3_600_000;
/** PostgreSQL freezes rows from 200 million on by default, and stops writes at two billion. */
const maxUnfrozen = { warn: 500_000_000, fail: 1_500_000_000 };

export const maintenanceChecks: readonly CheckDefinition<DatabaseFacts<"maintenance">>[] = [
  {
    ...{ subject, name: "autovacuum" },
    why: "Without it, tables and indexes grow without a bound, and PostgreSQL finally stops all writes.",
    judge: ({ autovacuum, excludedTables }) => {
      if (!autovacuum)
        return fail(
          "autovacuum is off",
          "set `autovacuum = on` and `track_counts = on`, then reload PostgreSQL",
        );
      return excludedTables.length === 0
        ? ok("autovacuum on")
        : warn(
            `autovacuum is off for ${excludedTables.map((name) => `paraph.${name}`).join(", ")}`,
            "run `alter table … reset (autovacuum_enabled)` as the owner",
          );
    },
  },
  {
    ...{ subject, name: "transaction ids" },
    why: "At two billion transactions, PostgreSQL accepts no more writes until it has vacuumed the database.",
    judge: ({ unfrozenTransactions: age }) => {
      const message = `the oldest unfrozen transaction is ${Math.round(age / 1_000_000)} million transactions old`;
      const advice = "end old transactions and unused slots, then run `vacuum freeze` as the owner";
      if (age > maxUnfrozen.fail) return fail(message, advice);
      return age > maxUnfrozen.warn ? warn(message, advice) : ok("transaction ids far from their limit");
    },
  },
  {
    ...{ subject, name: "long transactions" },
    why: "While a transaction is open, PostgreSQL removes no row that was deleted after it began, and migrations wait.",
    judge: ({ oldestTransaction, hiddenSessions, oldestPreparedMs = 0 }) => {
      if (oldestPreparedMs > maxTransactionMs)
        return warn(
          `a prepared transaction is open for ${formatDuration(oldestPreparedMs)}`,
          "find it in pg_prepared_xacts, then commit it or roll it back",
        );
      if (oldestTransaction && oldestTransaction.ageMs > maxTransactionMs) {
        const { name, pid, ageMs } = oldestTransaction;
        return warn(
          `${name} (process ${pid}) has a transaction open for ${formatDuration(ageMs)}`,
          `end that program, or run \`select pg_terminate_backend(${pid})\``,
        );
      }
      return hiddenSessions === 0
        ? ok("no long transactions")
        : skipped(
            `the login may not see ${formatCount(hiddenSessions, "session")} of other logins`,
            "pass a login of pg_monitor with `--database`",
          );
    },
  },
];
