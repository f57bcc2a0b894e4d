import { mkdir, realpath, stat } from "node:fs/promises";
import { join, resolve, sep } from "node:path";
import { type AdapterContext, type Duration, milliseconds, ParaphError } from "@paraph/core";
import { isParaphFolder } from "../paraph-folder.ts";
import { overheadMs } from "./capabilities/run.ts";
import type { TerminalConfig } from "./config.ts";
import type { TerminalContext } from "./context.ts";
import { Snapshots } from "./snapshots/snapshots.ts";
import { HashCache } from "./workspace/hash-cache.ts";

/**
 * [P11] Checks the configuration and builds the settings. It rejects a configuration that would let a program leave its
 * folders or read Paraph's keys.
 */
export async function openTerminalContext(
  configured: TerminalConfig,
  { name, folder }: AdapterContext,
): Promise<TerminalContext> {
  const { network, limits, env, maxMb, maxEntries, snapshots } = configured;
  const timeoutMs = milliseconds(configured.timeout as Duration);
  if (timeoutMs + overheadMs > maxContractMs) throw configFault(name, "`timeout` must be at most 9 minutes.");
  const folders = [configured.workspace, ...configured.read].map((path) =>
    requireSafeFolder(name, folder, path),
  );
  const [workspace, ...read] = await Promise.all(folders);
  const kept = resolve(folder, snapshots.folder ?? join(".paraph", "snapshots", name));
  await mkdir(kept, { recursive: true, mode: 0o700 });
  for (const seen of [workspace!, ...read]) {
    if (isInside(seen, await realpath(kept)))
      throw configFault(
        name,
        "the folder of the snapshots is inside a folder that programs can read. Set `snapshots.folder` to another folder.",
      );
  }
  return {
    name,
    workspace: workspace!,
    read,
    network,
    timeoutMs,
    limits,
    env,
    workspaceLimits: { bytes: maxMb * 1024 * 1024, entries: maxEntries },
    hashes: new HashCache(maxEntries * 2),
    snapshots: new Snapshots(kept, { count: snapshots.keep, ageMs: snapshots.days * 86_400_000 }),
  };
}

/**
 * Rejects a folder that contains the configuration, because a program could read Paraph's keys or change the rules that
 * apply to the program.
 */
async function requireSafeFolder(name: string, folder: string, path: string): Promise<string> {
  const real = await realpath(resolve(folder, path)).catch(() => undefined);
  if (real === undefined || !(await stat(real)).isDirectory())
    throw configFault(name, `\`${path}\` is not a folder. Create it, or correct the path.`);
  if (isInside(real, await realpath(folder)))
    throw configFault(
      name,
      `\`${path}\` contains the configuration and its keys. Choose a folder that does not contain the configuration.`,
    );
  if (real.split(sep).some(isParaphFolder))
    throw configFault(
      name,
      `\`${path}\` is inside Paraph's own folder, which contains its keys. Choose another folder.`,
    );
  return real;
}

function isInside(outer: string, inner: string): boolean {
  return `${inner}${sep}`.startsWith(outer === sep ? sep : `${outer}${sep}`);
}

function configFault(name: string, message: string): ParaphError {
  return new ParaphError("adapter-invalid", `\`${name}\`: ${message}`);
}

/** The maximum timeout of a contract. */
const maxContractMs = milliseconds("10m");
