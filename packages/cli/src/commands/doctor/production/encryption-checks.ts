import type { DatabaseFacts } from "./database-facts.ts";
import { type CheckDefinition, fail, ok, warn } from "./production-check.ts";

/** Whether others in the network could read or change what Paraph and PostgreSQL exchange. */
export const encryptionChecks: readonly CheckDefinition<DatabaseFacts<"encryption">>[] = [
  {
    ...{ subject: "TLS", name: "database" },
    why: "The connection carries the password of the login, and all inputs and results of calls.",
    judge: ({ path, protocol, verified }) => {
      if (path !== "network") return ok(`PostgreSQL on this host (${path})`);
      if (protocol === undefined)
        return fail(
          "the connection to PostgreSQL is not encrypted",
          "turn on `ssl` in PostgreSQL, and add `sslmode=verify-full` to DATABASE_URL",
        );
      return verified
        ? ok(`PostgreSQL over ${protocol}, certificate verified`)
        : warn(
            `the connection to PostgreSQL uses ${protocol}, but its certificate is not verified`,
            "use `sslmode=verify-full` in DATABASE_URL, with `sslrootcert` for a private CA",
          );
    },
  },
];
