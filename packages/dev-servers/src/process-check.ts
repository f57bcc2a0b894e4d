import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";

/**
 * Returns whether `pid` runs and has `folder` in its command line. The pid alone proves nothing, because after a reboot
 * or in a new container another process may have the same pid.
 */
export function isRunningFor(pid: number, folder: string): boolean {
  return readCommandLine(pid).includes(folder);
}

export function isRunning(pid: number): boolean {
  return readCommandLine(pid) !== "";
}

function readCommandLine(pid: number): string {
  try {
    if (existsSync("/proc/self/cmdline")) return readFileSync(`/proc/${pid}/cmdline`, "utf8");
    return execFileSync("ps", ["-ww", "-o", "command=", "-p", String(pid)], { encoding: "utf8" });
  } catch {
    return "";
  }
}
