import { execFile } from "node:child_process";
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { linkModules } from "../link-modules.ts";
import type { Mutation } from "./mutation.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));

/**
 * A copy of the sources that a mutation may change. All code that runs in the copy uses the copied sources, including
 * child processes.
 */
export class WorkspaceCopy {
  readonly folder: string;

  private constructor(folder: string) {
    this.folder = folder;
  }

  static async create(): Promise<WorkspaceCopy> {
    const folder = await mkdtemp(join(tmpdir(), "paraph-mutations-"));
    for (const file of await listSources()) {
      await mkdir(dirname(join(folder, file)), { recursive: true });
      await cp(join(root, file), join(folder, file));
    }
    await linkModules(folder);
    return new WorkspaceCopy(folder);
  }

  /** Applies the mutation and returns a function that reverts it. */
  async applyMutation(bug: Mutation): Promise<() => Promise<void>> {
    const file = join(this.folder, bug.file);
    const sound = await readFile(file, "utf8");
    await writeFile(file, mutateText(bug, sound));
    return () => writeFile(file, sound);
  }

  async remove(): Promise<void> {
    await rm(this.folder, { recursive: true, force: true });
  }
}

/**
 * Returns the mutated text. Throws if the text to replace does not occur exactly once, because such a mutation would
 * prove nothing.
 */
function mutateText({ name, file, find, replace }: Mutation, sound: string): string {
  const places = sound.split(find).length - 1;
  if (places !== 1)
    throw new Error(
      `The bug \`${name}\` fits ${places} places of \`${file}\`: see lab/mutations/catalog/mutations.ts.`,
    );
  return sound.replace(find, () => replace);
}

/** Lists the files that Git tracks or would track, which excludes builds and results. */
async function listSources(): Promise<string[]> {
  const list = async (...options: string[]) => {
    const { stdout } = await promisify(execFile)("git", ["ls-files", "-z", ...options], { cwd: root });
    return stdout.split("\0").filter((file) => file !== "");
  };
  const deleted = new Set(await list("--deleted"));
  const all = await list("--cached", "--others", "--exclude-standard");
  return all.filter((file) => !deleted.has(file));
}
