import { lstat, readdir } from "node:fs/promises";

let cachedMasks: Promise<string[]> | undefined;

/**
 * Returns the options that hide files of the kernel in the sandbox's `/proc`. They hide the files that container
 * runtimes hide and those that only root may read. The kernel checks access with the program's user id outside the
 * sandbox. If Paraph runs as root, that user id is root's, so the program could otherwise read these files.
 */
export function listKernelMasks(): Promise<string[]> {
  cachedMasks ??= findMasks();
  return cachedMasks;
}

async function findMasks(): Promise<string[]> {
  const names = (await readdir("/proc")).filter((name) => !/^\d+$/.test(name));
  const masks = await Promise.all(names.map(toMask));
  return masks.flat();
}

async function toMask(name: string): Promise<string[]> {
  const path = `/proc/${name}`;
  const found = await lstat(path).catch(() => undefined);
  if (found === undefined || found.isSymbolicLink()) return [];
  const isForAll = (found.mode & 0o004) !== 0;
  if (isForAll && !alwaysMasked.has(name)) return [];
  // Binding `/dev/null` makes the file impossible to open in the sandbox, because bubblewrap binds it without device
  // access.
  return found.isDirectory() ? ["--tmpfs", path, "--remount-ro", path] : ["--ro-bind", "/dev/null", path];
}

const alwaysMasked = new Set([
  ...["acpi", "asound", "bus", "driver", "fs", "interrupts", "irq", "kcore", "key-users", "keys"],
  ...["latency_stats", "sched_debug", "scsi", "sysrq-trigger", "timer_list", "timer_stats"],
]);
