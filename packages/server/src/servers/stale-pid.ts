import { readFile, writeFile } from "node:fs/promises";
import { isRunningFor } from "./process-check.ts";

const unusedPid = "99999999";

/**
 * After a crash PostgreSQL refuses to start if the pid in its `postmaster.pid` has since been given to any other
 * process of the same user, which happens after a reboot. Deleting the file would also delete PostgreSQL's check
 * for sessions of the dead server, so only the pid in it is replaced, by one that no system hands out.
 */
export async function replaceStalePid(dataFolder: string): Promise<void> {
  const file = `${dataFolder}/postmaster.pid`;
  const content = await readFile(file, "utf8").catch(() => undefined);
  if (content === undefined) return;
  const [pid, ...rest] = content.split("\n");
  if (isRunningFor(Number(pid), dataFolder)) return;
  await writeFile(file, [unusedPid, ...rest].join("\n"));
}
