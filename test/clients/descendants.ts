import { readdirSync, readFileSync } from "node:fs";
import { setTimeout } from "node:timers/promises";

/** Every process that this one started, and those they started. Known where there is a `/proc`. */
export function listProcessDescendants(pid: number): number[] {
  const parents = new Map(listProcesses().map((one) => [one, findParent(one)]));
  const of = (parent: number): number[] =>
    [...parents].filter(([, its]) => its === parent).flatMap(([child]) => [child, ...of(child)]);
  return of(pid);
}

/** Resolves once none of them runs. */
export async function waitUntilGone(pids: readonly number[]): Promise<void> {
  while (pids.some((pid) => findParent(pid) !== undefined)) await setTimeout(10);
}

function listProcesses(): number[] {
  if (process.platform !== "linux") return [];
  return readdirSync("/proc")
    .filter((entry) => /^\d+$/.test(entry))
    .map(Number);
}

/** Undefined: it is gone, or dead and only waits to be noticed. */
function findParent(pid: number): number | undefined {
  try {
    const [, state, parent] = /\) (\S) (\d+)/.exec(readFileSync(`/proc/${pid}/stat`, "utf8")) ?? [];
    return state === "Z" || parent === undefined ? undefined : Number(parent);
  } catch {
    return undefined;
  }
}
