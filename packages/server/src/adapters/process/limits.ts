import type { Limits } from "./command.ts";
import { type Launch, refused } from "./launch.ts";
import { programOf, searchPath } from "./search-path.ts";

/**
 * Has `prlimit` (util-linux) set the limits on itself and become the program. Memory is what a process may write to
 * and share with nobody (`RLIMIT_DATA`): a limit on addresses would stop every program that only reserves them.
 */
export async function limited(
  limits: Limits | undefined,
  launch: Launch,
  folders = searchPath,
): Promise<Launch> {
  if (launch.kind === "refused" || limits === undefined) return launch;
  const faults = Object.entries(limits).filter(([, value]) => !Number.isSafeInteger(value) || value < 1);
  if (faults.length > 0) return refused(`The limit \`${faults[0]![0]}\` is a whole number from 1.`);
  if (limits.processes !== undefined && process.getuid?.() === 0) {
    return refused(
      "The kernel does not limit root's processes: run Paraph as another user, or leave out `processes`.",
    );
  }
  const prlimit = await programOf("prlimit", folders);
  if (prlimit === undefined) {
    return refused("Limits need `prlimit`, which is not here: install util-linux, or leave out the limits.");
  }
  return { ...launch, file: prlimit, args: [...optionsOf(limits), "--", launch.file, ...launch.args] };
}

function optionsOf({ memoryMb, fileMb, openFiles, processes, cpuSeconds }: Limits): string[] {
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
