import { readdirSync, readFileSync } from "node:fs";
import { setTimeout } from "node:timers/promises";

/** Returns every process that this one started, at any depth. Returns none on platforms without `/proc`. */
export function listProcessDescendants(pid: number): number[] {
  const parents = new Map(listProcesses().map((one) => [one, findParent(one)]));
  const of = (parent: number): number[] =>
    [...parents].filter(([, its]) => its === parent).flatMap(([child]) => [child, ...of(child)]);
  return of(pid);
}

/** Resolves once none of these processes runs. */
export async function waitUntilGone(pids: readonly number[]): Promise<void> {
  while (pids.some((pid) => findParent(pid) !== undefined)) await setTimeout(10);
}

function listProcesses(): number[] {
  if (process.platform !== "linux") return [];
  return readdirSync("/proc")
    .filter((entry) => /^\d+$/.test(entry))
    .map(Number);
}

/** Returns undefined if the process has exited or is a zombie. */
function findParent(pid: number): number | undefined {
  try {
    const [, state, parent] = /\) (\S) (\d+)/.exec(readFileSync(`/proc/${pid}/stat`, "utf8")) ?? [];
    return state === "Z" || parent === undefined ? undefined : Number(parent);
  } catch {
    return undefined;
  }
}
