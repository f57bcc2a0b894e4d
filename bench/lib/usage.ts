import { readdirSync, readFileSync } from "node:fs";

/**
 * The resources that a process and its children have used. Only Linux provides them, and elsewhere everything is NaN.
 */
export interface ProcessUsage {
  readonly cpuMs: number;
  readonly writtenBytes: number;
}

const ticksPerSecond = 100;

/** Reads the usage of the process and of its current and former children. */
export function readUsage(pid: number): ProcessUsage {
  const own = readCpuMs(pid, true);
  const children = listChildren(pid).map((child) => readCpuMs(child, false));
  return { cpuMs: [own, ...children].reduce((sum, ms) => sum + ms, 0), writtenBytes: readWrittenBytes(pid) };
}

/** Returns the milliseconds for which the whole machine was busy, over all cores. */
export function readMachineBusyMs(): number {
  try {
    const [, ...ticks] = (readFileSync("/proc/stat", "utf8").split("\n")[0] ?? "").split(/\s+/).map(Number);
    const [user = 0, nice = 0, system = 0, , , irq = 0, softirq = 0, steal = 0] = ticks;
    return ((user + nice + system + irq + softirq + steal) * 1_000) / ticksPerSecond;
  } catch {
    return Number.NaN;
  }
}

function readCpuMs(pid: number, withEnded: boolean): number {
  const fields = readStat(pid);
  if (!fields) return withEnded ? Number.NaN : 0;
  const [user = 0, system = 0, endedUser = 0, endedSystem = 0] = fields.slice(11, 15).map(Number);
  return ((user + system + (withEnded ? endedUser + endedSystem : 0)) * 1_000) / ticksPerSecond;
}

function listChildren(pid: number): number[] {
  try {
    return readdirSync("/proc")
      .filter((entry) => /^\d+$/.test(entry) && Number(readStat(Number(entry))?.[1]) === pid)
      .map(Number);
  } catch {
    return [];
  }
}

/**
 * Returns the fields of /proc/pid/stat that follow the process name. The name itself may contain spaces and brackets.
 */
function readStat(pid: number): string[] | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, "utf8");
    return text.slice(text.lastIndexOf(")") + 2).split(" ");
  } catch {
    return undefined;
  }
}

/** Returns the bytes that the process wrote to disk, without its children. */
function readWrittenBytes(pid: number): number {
  try {
    return Number(/^write_bytes: (\d+)$/m.exec(readFileSync(`/proc/${pid}/io`, "utf8"))?.[1]);
  } catch {
    return Number.NaN;
  }
}
