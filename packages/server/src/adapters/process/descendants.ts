import { readFileSync } from "node:fs";

/** A process and when it began: a number alone may be another's by the time it is used. */
interface Process {
  readonly pid: number;
  readonly began: string;
}

/**
 * Those a process started, and theirs, as they are now; only Linux tells. A process group does not hold all of them:
 * `timeout` and `setsid` open their own.
 */
export function descendantsOf(pid: number): Process[] {
  return childrenOf(pid).flatMap((child) => [child, ...descendantsOf(child.pid)]);
}

/** With those they started meanwhile: each is held still before it is asked for its children. */
export function killAll(processes: readonly Process[]): void {
  for (const process of processes.filter(lives)) {
    send(process, "SIGSTOP");
    killAll(childrenOf(process.pid));
    send(process, "SIGKILL");
  }
}

function childrenOf(pid: number): Process[] {
  const children = read(`/proc/${pid}/task/${pid}/children`).split(" ").filter(Boolean).map(Number);
  return children.map((child) => ({ pid: child, began: beganOf(child) }));
}

function lives({ pid, began }: Process): boolean {
  return began !== "" && beganOf(pid) === began;
}

/** The program's name is in brackets and may hold anything: what counts comes after the last of them. */
function beganOf(pid: number): string {
  const stat = read(`/proc/${pid}/stat`);
  return stat.slice(stat.lastIndexOf(")") + 2).split(" ")[19] ?? "";
}

function send({ pid }: Process, signal: "SIGSTOP" | "SIGKILL"): void {
  try {
    process.kill(pid, signal);
  } catch {
    // It ended meanwhile, or became another user's.
  }
}

function read(path: string): string {
  try {
    return readFileSync(path, "utf8").trim();
  } catch {
    return "";
  }
}
