import { readFile } from "node:fs/promises";
import type { ProcessLimits } from "./command.ts";
import { type Launch, type ReadyLaunch, refuseLaunch } from "./launch.ts";
import { findProgram, searchPath } from "./search-path.ts";

/**
 * Runs the program through `prlimit` (util-linux), which sets the limits on itself and then executes the program. The
 * memory limit applies to private writable memory (`RLIMIT_DATA`). A limit on the address space would also stop
 * programs that only reserve addresses.
 */
export async function applyLimits(
  limits: ProcessLimits | undefined,
  launch: Launch,
  folders = searchPath,
): Promise<Launch> {
  if (launch.kind === "refused" || limits === undefined) return launch;
  const faults = Object.entries(limits).filter(([, value]) => !Number.isSafeInteger(value) || value < 1);
  if (faults.length > 0)
    return refuseLaunch(`The limit \`${faults[0]![0]}\` must be a whole number of at least 1.`);
  if (limits.processes !== undefined && process.getuid?.() === 0) {
    return refuseLaunch(
      "The kernel does not limit root's processes. Run Paraph as another user, or remove `processes`.",
    );
  }
  const prlimit = await findProgram("prlimit", folders);
  if (prlimit === undefined) {
    return refuseLaunch(
      "Limits need `prlimit`, which is not installed. Install util-linux, or remove the limits.",
    );
  }
  return withPrlimit(prlimit, limits, launch);
}

/**
 * [TRUST 25] The limits that apply if a command sets none. They are far above the needs of programs and below the
 * capacity of a machine. They omit processor time, which the deadline limits. Without `prlimit` they do not apply.
 */
const defaultLimits = { memoryMb: 4_096, fileMb: 4_096, openFiles: 1_024 } as const satisfies ProcessLimits;

/**
 * Applies the default limits to the whole launch, including the sandbox. These limits are high enough for the program
 * that builds the sandbox. That program can therefore still report that a program was not found.
 */
export async function applyDefaultLimits(own: ProcessLimits | undefined, launch: Launch): Promise<Launch> {
  const prlimit = await findProgram("prlimit");
  if (launch.kind === "refused" || prlimit === undefined) return launch;
  const limits = Object.entries(await readDefaultLimits()).filter(
    ([name]) => own?.[name as keyof ProcessLimits] === undefined,
  );
  return withPrlimit(prlimit, Object.fromEntries(limits), launch);
}

/**
 * Returns the default limits, capped at Paraph's own hard limits. A process cannot raise its hard limits, so a higher
 * default would prevent every start.
 */
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
