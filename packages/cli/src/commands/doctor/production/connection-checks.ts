import { formatDuration } from "../../../lib/terminal/format-time.ts";
import type { DatabaseFacts } from "./database-facts.ts";
import { type CheckDefinition, ok, warn } from "./production-check.ts";

const subject = "Connections";
/** The time that a report may take. */
const reportMs = 60_000;

export const connectionChecks: readonly CheckDefinition<DatabaseFacts<"connections">>[] = [
  {
    ...{ subject, name: "limit" },
    why: "If PostgreSQL has no free connection, calls fail with `database-unavailable`.",
    judge: ({ limit, limitedBy, others, processes, perProcess }) => {
      const count = Math.max(1, processes);
      const needed = count * perProcess + (limitedBy === "max_connections" ? others : 0);
      return needed <= limit
        ? ok(`up to ${needed} of ${limit} connections needed`)
        : warn(
            `${count} ${count === 1 ? "process" : "processes"} of Paraph and other programs need up to ${needed} connections, and ${limitedBy} allows ${limit}`,
            `raise ${limitedBy} to at least ${perProcess} per process, and more for your own tools`,
          );
    },
  },
];

export const timeoutChecks: readonly CheckDefinition<DatabaseFacts<"sessionLimits">>[] = [
  {
    ...{ subject, name: "idle_session_timeout" },
    why: "Each process keeps an idle session for its lease. If PostgreSQL ends it, the process must take its lease again.",
    judge: ({ idleSessionMs }) =>
      idleSessionMs === 0
        ? ok("no idle-session timeout")
        : warn(
            `PostgreSQL ends idle sessions of this login after ${formatDuration(idleSessionMs)}`,
            "run `alter role … set idle_session_timeout = 0` for the login of DATABASE_URL",
          ),
  },
  {
    ...{ subject, name: "transaction_timeout" },
    why: "Statistics, activity exports and `paraph replay --check` read in long transactions.",
    judge: ({ transactionMs }) =>
      transactionMs === 0 || transactionMs >= reportMs
        ? ok("no short transaction timeout")
        : warn(
            `PostgreSQL ends transactions of this login after ${formatDuration(transactionMs)}`,
            `run \`alter role … set transaction_timeout = '${formatDuration(reportMs).replace(" ", "")}'\`, or longer`,
          ),
  },
];
