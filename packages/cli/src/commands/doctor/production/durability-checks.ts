import type { DatabaseFacts } from "./database-facts.ts";
import { type CheckDefinition, fail, ok, warn } from "./production-check.ts";

const subject = "Durability";

/** Whether a commit that PostgreSQL confirmed survives a crash. */
export const durabilityChecks: readonly CheckDefinition<DatabaseFacts<"durability">>[] = [
  {
    ...{ subject, name: "fsync" },
    why: "Without it, a power failure can destroy the records of effects that happened.",
    judge: ({ fsync }) =>
      fsync
        ? ok("fsync on")
        : fail("fsync is off", "set `fsync = on` in postgresql.conf, then reload PostgreSQL"),
  },
  {
    ...{ subject, name: "full_page_writes" },
    why: "Without them, a crash while PostgreSQL writes a page can leave half of it on disk.",
    judge: ({ fullPageWrites }) =>
      fullPageWrites
        ? ok("full-page writes on")
        : warn(
            "full_page_writes is off",
            "set `full_page_writes = on`, unless the file system writes whole pages, as ZFS does",
          ),
  },
  {
    ...{ subject, name: "synchronous_commit" },
    why: "The processes of Paraph set it themselves. Commands with the owner's login, such as `paraph recover`, do not, and could lose a change.",
    judge: ({ synchronousCommit }) =>
      ["off", "local", "remote_write"].includes(synchronousCommit)
        ? warn(
            `synchronous_commit is ${synchronousCommit} in sessions that do not set it`,
            "remove it from postgresql.conf, `alter database` and `alter role`",
          )
        : ok(`synchronous_commit ${synchronousCommit}`),
  },
  {
    ...{ subject, name: "checksums" },
    why: "Without checksums, PostgreSQL returns the content of a damaged disk block as if it were correct.",
    judge: ({ dataChecksums, damagedPages }) => {
      if (damagedPages > 0)
        return fail(
          `PostgreSQL found ${damagedPages} damaged ${damagedPages === 1 ? "page" : "pages"} in this database`,
          "check the disk, and restore a backup before you rely on the records",
        );
      return dataChecksums
        ? ok("data checksums on")
        : warn("data checksums are off", "stop PostgreSQL, then run `pg_checksums --enable`");
    },
  },
];
