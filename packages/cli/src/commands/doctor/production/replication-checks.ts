import type { DatabaseFacts } from "./database-facts.ts";
import { formatBytes } from "./format-bytes.ts";
import { type CheckDefinition, fail, ok, skipped, warn } from "./production-check.ts";

const subject = "Replication";
const maxBytes = 1_024 ** 3;

type ReplicationCheck = CheckDefinition<DatabaseFacts<"replication">>;

export const replicationChecks: readonly ReplicationCheck[] = [
  {
    ...{ subject, name: "primary" },
    why: "Paraph writes to the database, and a standby accepts no writes.",
    judge: ({ isStandby }) =>
      isStandby
        ? fail("DATABASE_URL leads to a standby", "connect to the primary")
        : ok("connected to the primary"),
  },
  {
    ...{ subject, name: "synchronous" },
    why: "A failover that loses committed transactions loses the records of effects that happened.",
    judge: ({ standbys, synchronousNames }) => {
      if (synchronousNames !== "" && standbys.length === 0)
        return fail(
          "synchronous_standby_names is set, but no standby is connected, so commits wait",
          "start the standby, or remove the setting",
        );
      if (standbys.length === 0) return skipped("no standby is connected");
      if (synchronousNames === "")
        return warn(
          "a standby is connected, but commits do not wait for it",
          "set `synchronous_standby_names`",
        );
      return ok("commits wait for a standby");
    },
  },
  {
    ...{ subject, name: "lag" },
    why: "A standby that is far behind takes long to become the primary.",
    judge: ({ standbys }) => {
      if (standbys.length === 0) return skipped("no standby is connected");
      const lags = standbys.flatMap(({ name, lagBytes }) => (lagBytes === null ? [] : [{ name, lagBytes }]));
      if (lags.length < standbys.length)
        return skipped(
          "the login may not see the lag of standbys",
          "pass a login of pg_monitor with `--database`",
        );
      const late = lags.filter(({ lagBytes }) => lagBytes > maxBytes);
      return late.length === 0
        ? ok("standbys are up to date")
        : warn(
            late.map(({ name, lagBytes }) => `${name} is ${formatBytes(lagBytes)} behind`).join(", "),
            "check the standby and the network",
          );
    },
  },
  {
    ...{ subject, name: "slots" },
    why: "PostgreSQL keeps its log for a replication slot until the disk is full, even if nothing reads from it.",
    judge: ({ slots }) => {
      const problems = slots.filter(({ active, lost }) => lost || !active);
      if (problems.length === 0) return ok("no unused replication slots");
      const message = problems
        .map(({ name, lost, keptBytes }) =>
          lost
            ? `the slot ${name} lost log files that its reader needs`
            : `nothing reads from the slot ${name}, which keeps ${formatBytes(keptBytes)} of log`,
        )
        .join(", ");
      const advice =
        "start its reader, or drop the slot with `pg_drop_replication_slot`, and set `max_slot_wal_keep_size`";
      return problems.some(({ lost, keptBytes }) => lost || keptBytes > maxBytes)
        ? fail(message, advice)
        : warn(message, advice);
    },
  },
];
