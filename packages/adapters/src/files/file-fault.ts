import { CapabilityError, type FaultKind } from "@paraph/core";

/** Runs a body that uses the file system, and converts system errors to faults that the retry rule knows. */
export async function withFileFaults<T>(path: string, body: () => Promise<T>): Promise<T> {
  try {
    return await body();
  } catch (error) {
    throw toFileFault(error, path);
  }
}

/**
 * Converts a system error to a fault. `otherwise` is the fault kind for an unlisted error. Callers pass `ambiguous` for
 * the effect itself.
 */
export function toFileFault(error: unknown, path: string, otherwise: FaultKind = "permanent"): unknown {
  if (error instanceof CapabilityError) return error;
  const errno = (error as NodeJS.ErrnoException | undefined)?.code;
  if (typeof errno !== "string" || !/^E[A-Z0-9]+$/.test(errno)) return error;
  const [kind, code, reason] = faultsByErrno[errno] ?? [
    otherwise,
    errno.toLowerCase(),
    `the system returned ${errno}`,
  ];
  return new CapabilityError(kind, code, `\`${path}\`: ${reason}.`);
}

export function notFoundFault(path: string): CapabilityError {
  return new CapabilityError("permanent", "not-found", `There is no \`${path}\`.`);
}

export function linkRefusedFault(path: string): CapabilityError {
  return new CapabilityError(
    "permanent",
    "link-refused",
    `\`${path}\` is a link, and Paraph does not follow links. Use the path of the file itself.`,
  );
}

export function hasErrno(error: unknown, ...errnos: readonly string[]): boolean {
  return errnos.includes((error as NodeJS.ErrnoException | undefined)?.code ?? "");
}

const faultsByErrno: Record<string, readonly [FaultKind, string, string]> = {
  ENOENT: ["permanent", "not-found", "there is no such file or folder"],
  ENOTDIR: ["permanent", "not-a-folder", "a part of the path is not a folder"],
  EISDIR: ["permanent", "not-a-file", "this is a folder"],
  ENXIO: ["permanent", "not-a-file", "this is not a regular file"],
  ELOOP: ["permanent", "link-refused", "Paraph does not follow links. Use the path of the file itself"],
  EACCES: [
    "permanent",
    "not-permitted",
    "the server's user does not have the required permission. Change the permissions, or use another path",
  ],
  EPERM: ["permanent", "not-permitted", "the file system does not permit this"],
  EROFS: ["permanent", "read-only", "the file system is mounted read-only"],
  EFBIG: ["permanent", "too-large", "the file is too large for the file system"],
  ENAMETOOLONG: ["permanent", "path-invalid", "the path or a name in it is too long"],
  EINVAL: ["permanent", "path-invalid", "the file system does not accept this name"],
  EILSEQ: ["permanent", "path-invalid", "the file system does not accept this name"],
  // The errors below are temporary, and the system reports each of them before it changes anything.
  ENOSPC: ["not-performed", "no-space", "the disk is full"],
  EDQUOT: ["not-performed", "no-space", "the disk quota is used up"],
  EMFILE: ["not-performed", "too-many-open-files", "the server has too many files open"],
  ENFILE: ["not-performed", "too-many-open-files", "the machine has too many files open"],
  EBUSY: ["not-performed", "busy", "the file is in use"],
  ETXTBSY: ["not-performed", "busy", "the file is being run"],
  EAGAIN: ["not-performed", "busy", "the file is in use"],
  ENOMEM: ["not-performed", "no-memory", "the machine is out of memory"],
};
