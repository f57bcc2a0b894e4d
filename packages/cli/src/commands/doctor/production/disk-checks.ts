import { formatBytes } from "./format-bytes.ts";
import { type CheckDefinition, fail, ok, skipped, warn } from "./production-check.ts";

const subject = "Disk";
const minBytes = { warn: 2 * 1_024 ** 3, fail: 256 * 1_024 ** 2 };

/** The free space of a folder on this host. */
export interface FreeSpace {
  readonly folder: string;
  readonly freeBytes: number;
}

export const stateDiskChecks: readonly CheckDefinition<readonly FreeSpace[]>[] = [
  {
    ...{ subject, name: "this host" },
    why: "Without space, adapters cannot write, and programs that they start fail.",
    judge: (folders) => {
      const smallest = [...folders].sort((a, b) => a.freeBytes - b.freeBytes)[0];
      return smallest ? judgeSpace(smallest) : skipped("no folder of Paraph exists on this host");
    },
  },
];

/** The size of the database, and the free space of its folder if that is on this host and visible. */
export interface DatabaseDisk {
  readonly databaseBytes: number;
  readonly space: FreeSpace | undefined;
}

export const databaseDiskChecks: readonly CheckDefinition<DatabaseDisk>[] = [
  {
    ...{ subject, name: "database" },
    why: "Without space, PostgreSQL accepts no writes, and Paraph accepts no calls.",
    judge: ({ databaseBytes, space }) =>
      space
        ? judgeSpace(space, `, and the database has ${formatBytes(databaseBytes)}`)
        : skipped(
            `the database has ${formatBytes(databaseBytes)}, but PostgreSQL does not show the free space of its disk`,
            "watch that disk on its host",
          ),
  },
];

function judgeSpace({ folder, freeBytes }: FreeSpace, more = "") {
  const message = `${formatBytes(freeBytes)} free at ${folder}${more}`;
  const advice = "free space, or enlarge the disk";
  if (freeBytes < minBytes.fail) return fail(message, advice);
  return freeBytes < minBytes.warn ? warn(message, advice) : ok(message);
}
