import { openSync, readdirSync, readFileSync } from "node:fs";

/**
 * [TRUST 18] What every further file of a child is to be, from `first` on: nothing, for those that it would inherit. Node
 * closes its own files in a child. It does not close those that Paraph was started with, such as a log or a lock that a
 * supervisor left open: a program in a sandbox could write to them. Only Linux tells which these are.
 */
export function toInheritedStdio(first: number): ("ignore" | FileNumber)[] {
  cachedFiles ??= findInheritedFiles();
  const { files, nullDevice: nothing } = cachedFiles;
  const last = Math.max(-1, ...files.filter((file) => file >= first));
  return Array.from({ length: Math.max(0, last + 1 - first) }, (_, index) =>
    files.includes(first + index) ? nothing! : "ignore",
  );
}

/** Execa accepts any number of files, but its types name only the first few. */
type FileNumber = 3;

interface InheritedFiles {
  readonly files: readonly number[];
  /** The null device, open. */
  readonly nullDevice?: FileNumber;
}

/** Found once at the start. Node opens all later files itself and closes them in children. */
let cachedFiles: InheritedFiles | undefined;

function findInheritedFiles(): InheritedFiles {
  const files = listNames("/proc/self/fd")
    .map(Number)
    .filter((file) => file > 2 && isInheritable(file));
  return files.length === 0 ? { files } : { files, nullDevice: openSync("/dev/null", "r+") as FileNumber };
}

function listNames(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

/** Whether it stays open in a child: it lacks `O_CLOEXEC`. */
function isInheritable(file: number): boolean {
  try {
    const flags = /^flags:\s+(\d+)/m.exec(readFileSync(`/proc/self/fdinfo/${file}`, "utf8"))?.[1] ?? "0";
    return (Number.parseInt(flags, 8) & closeOnExec) === 0;
  } catch {
    // The one through which the folder was listed is closed by now.
    return false;
  }
}

const closeOnExec = 0o2000000;
