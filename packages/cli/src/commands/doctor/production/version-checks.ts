import type { DatabaseFacts } from "./database-facts.ts";
import { type CheckDefinition, fail, ok, skipped, warn } from "./production-check.ts";

const subject = "Versions";
const minPostgres = 15;

export const versionChecks: readonly CheckDefinition<DatabaseFacts<"schema">>[] = [
  {
    ...{ subject, name: "PostgreSQL" },
    why: "Paraph uses features of PostgreSQL that earlier versions lack.",
    judge: ({ postgres, postgresMajor }) =>
      postgresMajor >= minPostgres
        ? ok(`PostgreSQL ${postgres}`)
        : fail(`PostgreSQL ${postgres}`, `use PostgreSQL ${minPostgres} or later`),
  },
  {
    ...{ subject, name: "schema" },
    why: "Paraph does not start on a schema that its version does not know.",
    judge: ({ generation, serves, needed }) => {
      const migrate = "run `paraph migrate` of this version with the login of the database's owner";
      if (generation === undefined) return fail("the database is not migrated", migrate);
      if (generation < needed)
        return fail(`the schema has generation ${generation}, and this version needs ${needed}`, migrate);
      if (serves > needed)
        return fail(
          `the schema has generation ${generation} and supports Paraph from ${serves} on, and this version has ${needed}`,
          "install the version of Paraph that migrated the database",
        );
      return generation === needed
        ? ok(`schema generation ${generation}`)
        : warn(
            `the schema has generation ${generation}, and this version has ${needed}`,
            "finish the upgrade: install the newer version here too",
          );
    },
  },
  {
    ...{ subject, name: "indexes" },
    why: "Without an index, queries read whole tables and run into their timeouts.",
    judge: ({ generation, invalidIndexes }) => {
      if (generation === undefined) return skipped("the database is not migrated");
      return invalidIndexes.length === 0
        ? ok("all indexes valid")
        : warn(
            `the build of ${invalidIndexes.join(", ")} did not finish`,
            "run `paraph migrate` again with the login of the database's owner",
          );
    },
  },
];

/** `version` is that of Node, for example 24.11.0. */
export const nodeChecks: readonly CheckDefinition<{ readonly version: string }>[] = [
  {
    ...{ subject, name: "Node" },
    why: "Paraph does not run on earlier versions.",
    judge: ({ version }) => {
      const [major = 0, minor = 0] = version.split(".").map(Number);
      return major > 22 || (major === 22 && minor >= 19)
        ? ok(`Node ${version}`)
        : fail(`Node ${version}`, "install Node 22.19 or later");
    },
  },
];
