import { readFile } from "node:fs/promises";
import type { ProcessLimits } from "./command.ts";
import { type Launch, type ReadyLaunch, refuseLaunch } from "./launch.ts";
import { findProgram, searchPath } from "./search-path.ts";

/**
 * Has `prlimit` (util-linux) set the limits on itself and become the program. Memory is what a process may write to
 * and share with nobody (`RLIMIT_DATA`): a limit on addresses would stop every program that only reserves them.
 */
export async function applyLimits(
  limits: ProcessLimits | undefined,
  launch: Launch,
  folders = searchPath,
): Promise<Launch> {
  if (launch.kind === "refused" || limits === undefined) return launch;
  const faults = Object.entries(limits).filter(([, value]) => !Number.isSafeInteger(value) || value < 1);
  if (faults.length > 0) return refuseLaunch(`The limit \`${faults[0]![0]}\` is a whole number from 1.`);
  if (limits.processes !== undefined && process.getuid?.() === 0) {
    return refuseLaunch(
      "The kernel does not limit root's processes: run Paraph as another user, or leave out `processes`.",
    );
  }
  const prlimit = await findProgram("prlimit", folders);
  if (prlimit === undefined) {
    return refuseLaunch(
      "Limits need `prlimit`, which is not here: install util-linux, or leave out the limits.",
    );
  }
  return withPrlimit(prlimit, limits, launch);
}

/**
 * [TRUST 25] What every program is held to that sets no such limit of its own: far more than programs need, and less than a
 * machine has. Time on the processor is left to the deadline. Where `prlimit` is missing, they do not hold.
 */
const defaultLimits = { memoryMb: 4_096, fileMb: 4_096, openFiles: 1_024 } as const satisfies ProcessLimits;

/** Held around the sandbox too: what builds it needs less, and can tell that a program was not found. */
export async function applyDefaultLimits(own: ProcessLimits | undefined, launch: Launch): Promise<Launch> {
  const prlimit = await findProgram("prlimit");
  if (launch.kind === "refused" || prlimit === undefined) return launch;
  const limits = Object.entries(await readDefaultLimits()).filter(
    ([name]) => own?.[name as keyof ProcessLimits] === undefined,
  );
  return withPrlimit(prlimit, Object.fromEntries(limits), launch);
}

/** No process may raise its own limits: a default above ours would keep every program from starting. */
async function readDefaultLimits(): Promise<ProcessLimits> {
  const ours = await readFile("/proc/self/limits", "utf8").catch(() => "");
  const hard = (name: string) =>
    Number(new RegExp(`^${name} +\\S+ +(\\d+)`, "m").exec(ours)?.[1] ?? Infinity);
  return {
    memoryMb: Math.min(defaultLimits.memoryMb, Math.floor(hard("Max data size") / mebibyte)),
    fileMb: Math.min(defaultLimits.fileMb, Math.floor(hard("Max file size") / mebibyte)),
    openFiles: Math.min(defaultLimits.openFiles, hard("Max open files")),
  };
}

function withPrlimit(prlimit: string, limits: ProcessLimits, launch: ReadyLaunch): ReadyLaunch {
  return { ...launch, file: prlimit, args: [...toPrlimitOptions(limits), "--", launch.file, ...launch.args] };
}

function toPrlimitOptions({ memoryMb, fileMb, openFiles, processes, cpuSeconds }: ProcessLimits): string[] {
  return [
    "--core=0",
    ...(memoryMb === undefined ? [] : [`--data=${memoryMb * mebibyte}`]),
    ...(fileMb === undefined ? [] : [`--fsize=${fileMb * mebibyte}`]),
    ...(openFiles === undefined ? [] : [`--nofile=${openFiles}`]),
    ...(processes === undefined ? [] : [`--nproc=${processes}`]),
    ...(cpuSeconds === undefined ? [] : [`--cpu=${cpuSeconds}`]),
  ];
}

const mebibyte = 1024 * 1024;
