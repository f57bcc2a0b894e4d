import { existsSync, realpathSync, statSync } from "node:fs";
import { sep } from "node:path";
import { ParaphError } from "@paraph/core";
import { isParaphFolder } from "../../paraph-folder.ts";

/** The folder nothing leaves. */
export interface Root {
  /** Resolved once, at start: the configuration may name a link, a caller may not. */
  readonly path: string;
  /** Folders are held open and entered by handle, so that nobody can swap one between a check and its use. */
  readonly isRaceFree: boolean;
}

export function openRoot(adapter: string, path: string, raceFree = process.platform === "linux"): Root {
  const refuse = (reason: string) =>
    new ParaphError("capability-invalid", `\`${adapter}\` has no folder to work in: ${reason}`);
  if (path === "") throw refuse("`root` is empty. Set it to the folder the files are in.");
  // Without /proc only the weaker way is left, and a guarantee does not weaken silently.
  if (raceFree && !existsSync("/proc/self/fd"))
    throw refuse("/proc is not mounted. Mount it and start again.");
  const resolved = resolveRealPath(path);
  if (resolved === undefined) {
    throw refuse(`\`${path}\` does not exist or cannot be reached. Create it, or correct \`root\`.`);
  }
  if (!statSync(resolved).isDirectory())
    throw refuse(`\`${path}\` is not a folder. Set \`root\` to the folder the files are in.`);
  if (resolved.split(sep).some(isParaphFolder))
    throw refuse(`\`${path}\` lies in Paraph's own folder, with its keys. Set \`root\` to another.`);
  return { path: resolved, isRaceFree: raceFree };
}

function resolveRealPath(path: string): string | undefined {
  try {
    return realpathSync(path);
  } catch {
    return undefined;
  }
}
