import { execFile, execFileSync } from "node:child_process";
import { mkdtempSync, rmdirSync } from "node:fs";
import { statfs } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { UnmetRequirement } from "../lab.ts";

/** A small file system in memory, which can be filled. */
export interface SmallDisk {
  readonly folder: string;
  /** Shrinks the disk to the space that is in use. */
  fill(): Promise<void>;
  /** Gives the disk its first size again. */
  free(): Promise<void>;
  remove(): void;
}

const run = promisify(execFile);
const fullSize = "512m";

/** Mounts the disk. It is removed when this process ends, unless the process is killed with SIGKILL. */
export async function mountSmallDisk(): Promise<SmallDisk> {
  if (process.platform !== "linux" || process.getuid?.() !== 0)
    throw new UnmetRequirement("This experiment mounts a file system. Run it as root on Linux.");
  const folder = mkdtempSync(join(tmpdir(), "paraph-lab-disk-"));
  try {
    execFileSync("mount", ["-t", "tmpfs", "-o", `size=${fullSize},mode=0711`, "paraph-lab", folder]);
  } catch (error) {
    rmdirSync(folder);
    throw new UnmetRequirement(`This experiment must mount a tmpfs: ${(error as Error).message}`);
  }
  const resize = (size: string) => run("mount", ["-o", `remount,size=${size}`, folder]);
  const remove = () => {
    process.off("exit", remove);
    execFileSync("umount", ["--lazy", folder]);
    rmdirSync(folder);
  };
  process.once("exit", remove);
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => process.exit(130));
  return {
    folder,
    async fill() {
      for (let attempt = 1; ; attempt++) {
        const { blocks, bfree, bsize } = await statfs(folder);
        try {
          await resize(String((blocks - bfree) * bsize));
          return;
        } catch (error) {
          // The kernel rejects a size that PostgreSQL has exceeded meanwhile.
          if (attempt === 20) throw error;
        }
      }
    },
    free: async () => {
      await resize(fullSize);
    },
    remove,
  };
}
