import { openSync, readdirSync, readFileSync } from "node:fs";

/**
 * [TRUST 18] What every further file of a child is to be, from `first` on: nothing, for those that it would inherit. Node
 * closes its own files in a child. It does not close those that Paraph was started with, such as a log or a lock that a
 * supervisor left open: a program in a sandbox could write to them. Only Linux tells which these are.
 */
export function withoutInherited(first: number): ("ignore" | FileNumber)[] {
  known ??= inheritedFiles();
  const { files, nothing } = known;
  const last = Math.max(-1, ...files.filter((file) => file >= first));
  return Array.from({ length: Math.max(0, last + 1 - first) }, (_, index) =>
    files.includes(first + index) ? nothing! : "ignore",
  );
}

/** Execa accepts any number of files, but its types name only the first few. */
type FileNumber = 3;

interface Inherited {
  readonly files: readonly number[];
  /** The null device, open. */
  readonly nothing?: FileNumber;
}

/** Found once at the start. Node opens all later files itself and closes them in children. */
let known: Inherited | undefined;

function inheritedFiles(): Inherited {
  const files = namesIn("/proc/self/fd")
    .map(Number)
    .filter((file) => file > 2 && passesOn(file));
  return files.length === 0 ? { files } : { files, nothing: openSync("/dev/null", "r+") as FileNumber };
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

/** Whether it stays open in a child: it lacks `O_CLOEXEC`. */
function passesOn(file: number): boolean {
  try {
    const flags = /^flags:\s+(\d+)/m.exec(readFileSync(`/proc/self/fdinfo/${file}`, "utf8"))?.[1] ?? "0";
    return (Number.parseInt(flags, 8) & closeOnExec) === 0;
  } catch {
    // The one through which the folder was listed is closed by now.
    return false;
  }
}

const closeOnExec = 0o2000000;
