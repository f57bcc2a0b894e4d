import { openSync, readdirSync, readFileSync } from "node:fs";

/**
 * [TRUST 18] Returns the stdio entries from file number `first` on. They replace inheritable files with the null
 * device. Node closes its own files in a child, but not those that Paraph was started with. A supervisor may leave a
 * log or a lock open, and a program in a sandbox could write to it. Only Linux reports these files.
 */
export function toInheritedStdio(first: number): ("ignore" | FileNumber)[] {
  cachedFiles ??= findInheritedFiles();
  const { files, nullDevice } = cachedFiles;
  const last = Math.max(-1, ...files.filter((file) => file >= first));
  return Array.from({ length: Math.max(0, last + 1 - first) }, (_, index) =>
    files.includes(first + index) ? nullDevice! : "ignore",
  );
}

/** The type of a file number for Execa. Execa accepts any number, but its types name only the first few. */
type FileNumber = 3;

interface InheritedFiles {
  readonly files: readonly number[];
  /** The file number of the open null device. */
  readonly nullDevice?: FileNumber;
}

/**
 * The result of the first search. A second search is not needed, because Node opens all later files itself and closes
 * them in children.
 */
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

/** Whether a child inherits the file. A child inherits every file that lacks `O_CLOEXEC`. */
function isInheritable(file: number): boolean {
  try {
    const flags = /^flags:\s+(\d+)/m.exec(readFileSync(`/proc/self/fdinfo/${file}`, "utf8"))?.[1] ?? "0";
    return (Number.parseInt(flags, 8) & closeOnExec) === 0;
  } catch {
    // The number belonged to the handle that listed the folder. That handle is already closed, so a child cannot
    // inherit it.
    return false;
  }
}

const closeOnExec = 0o2000000;
