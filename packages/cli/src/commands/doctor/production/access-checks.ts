import { formatCount } from "../../../lib/terminal/format-count.ts";
import type { DatabaseFacts } from "./database-facts.ts";
import { type CheckDefinition, fail, ok, skipped } from "./production-check.ts";

const subject = "Tenants";

/** Whether row-level security separates the tenants, and the login cannot get around it. */
export const accessChecks: readonly CheckDefinition<DatabaseFacts<"access">>[] = [
  {
    ...{ subject, name: "roles" },
    why: "The processes of Paraph work with these roles, and do not start without them.",
    judge: ({ login, missingRoles }) =>
      missingRoles.length === 0
        ? ok(`the login ${login} may use Paraph's roles`)
        : fail(
            `the login ${login} may not switch to ${missingRoles.join(" and ")}`,
            "run `paraph migrate` with this DATABASE_URL and the login of the database's owner",
          ),
  },
  {
    ...{ subject, name: "rights" },
    why: "With these rights, a process could read or change the rows of every tenant.",
    judge: ({ excessRights }) =>
      excessRights.length === 0
        ? ok("no excess rights")
        : fail(
            excessRights.map(({ role, right }) => `${role} has ${right}`).join(", "),
            "take the rights away, or use the plain login that `paraph migrate` creates, and never the owner's",
          ),
  },
  {
    ...{ subject, name: "row-level security" },
    why: "A table without it shows the rows of all tenants to each of them.",
    judge: ({ unforcedTables, tenantTables }) => {
      if (tenantTables === 0) return skipped("the database has no tables of Paraph");
      return unforcedTables.length === 0
        ? ok(`row-level security forced on ${formatCount(tenantTables, "table")}`)
        : fail(
            `not forced on ${unforcedTables.map((name) => `paraph.${name}`).join(", ")}`,
            "run `alter table … enable row level security, force row level security` as the owner, and find out who changed it",
          );
    },
  },
];
