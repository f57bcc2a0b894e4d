import { readFileSync } from "node:fs";

/** A process with its start time. The start time distinguishes it from a later process with the same id. */
interface DescendantProcess {
  readonly pid: number;
  readonly began: string;
}

/**
 * Lists the current descendants of a process. Killing only the process group would miss some descendants, because
 * `timeout` and `setsid` create their own groups. The function works only on Linux.
 */
export function listDescendants(pid: number): DescendantProcess[] {
  return listChildren(pid).flatMap((child) => [child, ...listDescendants(child.pid)]);
}

/**
 * Kills the processes and their descendants. It stops each process before it lists that process's children, so that no
 * child escapes.
 */
export function killAll(processes: readonly DescendantProcess[]): void {
  for (const process of processes.filter(isAlive)) {
    sendSignal(process, "SIGSTOP");
    killAll(listChildren(process.pid));
    sendSignal(process, "SIGKILL");
  }
}

function listChildren(pid: number): DescendantProcess[] {
  const children = readFileOrEmpty(`/proc/${pid}/task/${pid}/children`)
    .split(" ")
    .filter(Boolean)
    .map(Number);
  return children.map((child) => ({ pid: child, began: readStartTime(child) }));
}

function isAlive({ pid, began }: DescendantProcess): boolean {
  return began !== "" && readStartTime(pid) === began;
}

/**
 * Reads a process's start time. The program's name is in parentheses and may contain any character, so the fields start
 * after the last parenthesis.
 */
function readStartTime(pid: number): string {
  const stat = readFileOrEmpty(`/proc/${pid}/stat`);
  return stat.slice(stat.lastIndexOf(")") + 2).split(" ")[19] ?? "";
}

function sendSignal({ pid }: DescendantProcess, signal: "SIGSTOP" | "SIGKILL"): void {
  try {
    process.kill(pid, signal);
  } catch {
    // Ignores the error, because the process ended in the meantime or now belongs to another user.
  }
}

function readFileOrEmpty(path: string): string {
  try {
    return readFileSync(path, "utf8").trim();
  } catch {
    return "";
  }
}
