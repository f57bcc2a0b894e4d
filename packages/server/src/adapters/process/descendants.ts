import { readFileSync } from "node:fs";

/** A process and when it began: a number alone may be another's by the time it is used. */
interface DescendantProcess {
  readonly pid: number;
  readonly began: string;
}

/**
 * Those a process started, and theirs, as they are now; only Linux tells. A process group does not hold all of them:
 * `timeout` and `setsid` open their own.
 */
export function listDescendants(pid: number): DescendantProcess[] {
  return listChildren(pid).flatMap((child) => [child, ...listDescendants(child.pid)]);
}

/** With those they started meanwhile: each is held still before it is asked for its children. */
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

/** The program's name is in brackets and may hold anything: what counts comes after the last of them. */
function readStartTime(pid: number): string {
  const stat = readFileOrEmpty(`/proc/${pid}/stat`);
  return stat.slice(stat.lastIndexOf(")") + 2).split(" ")[19] ?? "";
}

function sendSignal({ pid }: DescendantProcess, signal: "SIGSTOP" | "SIGKILL"): void {
  try {
    process.kill(pid, signal);
  } catch {
    // It ended meanwhile, or became another user's.
  }
}

function readFileOrEmpty(path: string): string {
  try {
    return readFileSync(path, "utf8").trim();
  } catch {
    return "";
  }
}
