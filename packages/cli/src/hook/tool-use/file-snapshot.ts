import { createHash } from "node:crypto";
import { closeSync, constants, fstatSync, openSync, readFileSync } from "node:fs";
import { basename } from "node:path";

/**
 * The current content of a file, in the format of the adapter `codingAgent`. It lets people see the effect of an edit.
 */
export type FileSnapshot =
  | { readonly kind: "absent" }
  | { readonly kind: "text"; readonly sha256: string; readonly text: string }
  | { readonly kind: "unshown"; readonly sha256?: string; readonly why: string };

const maxBytes = 256 * 1024;

/**
 * The names of files that may contain secrets. For such a file, people see only the agent's change and none of the
 * other lines.
 */
const secretFileNames =
  /^(\.env(\..*)?|\.npmrc|\.netrc|\.pgpass|id_[a-z0-9]+|.*credentials.*|.*\.(pem|key|p12|pfx))$/i;

export function readFileSnapshot(path: string): FileSnapshot {
  let file: number;
  try {
    // Without this flag, opening a pipe would block.
    file = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return { kind: "absent" };
    return { kind: "unshown", why: "it cannot be read" };
  }
  try {
    const stat = fstatSync(file);
    if (!stat.isFile()) return { kind: "unshown", why: "it is not a file" };
    if (stat.size > maxBytes) return { kind: "unshown", why: "it is larger than 256 KiB" };
    const bytes = readFileSync(file);
    const sha256 = createHash("sha256").update(bytes).digest("hex");
    if (secretFileNames.test(basename(path)))
      return { kind: "unshown", sha256, why: "it may contain secrets" };
    const text = bytes.toString("utf8");
    return Buffer.from(text).equals(bytes)
      ? { kind: "text", sha256, text }
      : { kind: "unshown", sha256, why: "it is not text" };
  } catch {
    return { kind: "unshown", why: "it cannot be read" };
  } finally {
    closeSync(file);
  }
}
