import { lstat, readdir } from "node:fs/promises";

let cachedMasks: Promise<string[]> | undefined;

/**
 * What hides the kernel's own files in the sandbox's `/proc`: those that container runtimes hide, and those that only
 * root may read. The program has root's user id outside where Paraph runs as root, and the kernel goes by that.
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
  // Device files do not open in the sandbox: it binds them without that right.
  return found.isDirectory() ? ["--tmpfs", path, "--remount-ro", path] : ["--ro-bind", "/dev/null", path];
}

const alwaysMasked = new Set([
  ...["acpi", "asound", "bus", "driver", "fs", "interrupts", "irq", "kcore", "key-users", "keys"],
  ...["latency_stats", "sched_debug", "scsi", "sysrq-trigger", "timer_list", "timer_stats"],
]);
