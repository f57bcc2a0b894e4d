import { readFile, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { CapabilityError } from "@paraph/core";
import { formatName } from "../../format-text.ts";
import type { Repository } from "../repository/repository.ts";
import { isObjectId } from "./ref-name.ts";

/**
 * Removes a ref's lock file that a killed git process left behind. It removes a lock file that contains the value this
 * call writes. It also removes an empty lock file that is old, because a running git fills the file immediately.
 */
export async function clearStaleLock(
  { gitFolder }: Repository,
  ref: string,
  isOurs: (oid: string) => Promise<boolean> | boolean,
): Promise<void> {
  const path = join(gitFolder, `${ref}.lock`);
  const held = await readFile(path, "utf8").catch(() => undefined);
  if (held === undefined) return;
  const oid = held.trim();
  const ours = oid === "" ? await isStale(path) : isObjectId(oid) && (await isOurs(oid));
  if (ours) await rm(path, { force: true });
}

export async function requireUnlocked({ gitFolder }: Repository, name: string): Promise<void> {
  const there = await stat(join(gitFolder, `${name}.lock`)).then(
    () => true,
    () => false,
  );
  if (there) throw lockedFault(name);
}

export function lockedFault(name: string): CapabilityError {
  return new CapabilityError(
    "not-performed",
    "locked",
    `Another git process has locked ${formatName(name)}, or left its lock behind. Paraph retries the call. If no git process is running, remove ${formatName(`.git/${name}.lock`)}.`,
  );
}

async function isStale(path: string): Promise<boolean> {
  const found = await stat(path).catch(() => undefined);
  return found !== undefined && Date.now() - found.mtimeMs > staleLockMs;
}

const staleLockMs = 10_000;
