import { readFile, writeFile } from "node:fs/promises";
import { isRunningFor } from "./process-check.ts";

const unusedPid = "99999999";

/**
 * Replaces a stale pid in `postmaster.pid`. After a crash, PostgreSQL does not start if another process of the same
 * user now has that pid. This can happen after a reboot. Deleting the file would disable PostgreSQL's check for
 * sessions of the dead server. The function therefore writes a pid that no system assigns.
 */
export async function replaceStalePid(dataFolder: string): Promise<void> {
  const file = `${dataFolder}/postmaster.pid`;
  const content = await readFile(file, "utf8").catch(() => undefined);
  if (content === undefined) return;
  const [pid, ...rest] = content.split("\n");
  if (isRunningFor(Number(pid), dataFolder)) return;
  await writeFile(file, [unusedPid, ...rest].join("\n"));
}
