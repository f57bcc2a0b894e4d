import { existsSync, realpathSync, statSync } from "node:fs";
import { sep } from "node:path";
import { ParaphError } from "@paraph/core";
import { isParaphFolder } from "../../paraph-folder.ts";

/** The folder that the capabilities never leave. */
export interface Root {
  /** The real path, which Paraph resolves once at start. The configuration may name a link, but a caller may not. */
  readonly path: string;
  /**
   * Whether Paraph uses open folder handles. If so, no program can swap a folder between a check of the folder and its
   * use.
   */
  readonly isRaceFree: boolean;
}

export function openRoot(adapter: string, path: string, raceFree = process.platform === "linux"): Root {
  const refuse = (reason: string) =>
    new ParaphError("capability-invalid", `\`${adapter}\` has no usable folder. ${reason}`);
  if (path === "") throw refuse("`root` is empty. Set it to the folder with the files.");
  // Without /proc, Paraph could use only the weaker method. It must not weaken a guarantee silently, so it throws an
  // error.
  if (raceFree && !existsSync("/proc/self/fd"))
    throw refuse("/proc is not mounted. Mount it and start again.");
  const resolved = resolveRealPath(path);
  if (resolved === undefined) {
    throw refuse(`\`${path}\` does not exist or cannot be reached. Create it, or correct \`root\`.`);
  }
  if (!statSync(resolved).isDirectory())
    throw refuse(`\`${path}\` is not a folder. Set \`root\` to the folder with the files.`);
  if (resolved.split(sep).some(isParaphFolder))
    throw refuse(
      `\`${path}\` is inside Paraph's own folder, which contains its keys. Set \`root\` to another folder.`,
    );
  return { path: resolved, isRaceFree: raceFree };
}

function resolveRealPath(path: string): string | undefined {
  try {
    return realpathSync(path);
  } catch {
    return undefined;
  }
}
