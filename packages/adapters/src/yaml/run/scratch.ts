import { constants } from "node:fs";
import { lstat, mkdtemp, open, readdir, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** A temporary folder for one run. */
export interface ToolScratch extends AsyncDisposable {
  readonly folder: string;
  /** Writes a file and returns its path. */
  write(name: string, content: string): Promise<string>;
  /** Reads at most `max` bytes of a file that the tool wrote. Returns undefined if the file does not exist. */
  read(name: string, max: number): Promise<{ content: Buffer; truncated: boolean } | undefined>;
}

export async function createToolScratch(): Promise<ToolScratch> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), folderPrefix)));
  return {
    folder,
    async write(name, content) {
      const path = join(folder, name);
      await writeFile(path, content, { mode: 0o600, flag: "wx" });
      return path;
    },
    read: (name, max) => readLimited(join(folder, name), max),
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true, maxRetries: 3 }),
  };
}

/**
 * Removes folders that killed processes left behind. A folder is removed only if it is older than the age limit,
 * because no tool runs that long.
 */
export async function removeLeftovers(folder = tmpdir(), now = Date.now()): Promise<void> {
  for (const name of await readdir(folder)) {
    if (!name.startsWith(folderPrefix)) continue;
    const found = await lstat(join(folder, name)).catch(() => undefined);
    if (!found?.isDirectory() || found.uid !== process.getuid?.()) continue;
    if (now - found.mtimeMs > staleMs) await rm(join(folder, name), { recursive: true, force: true });
  }
}

/**
 * Reads a file without following links, because the tool may have created a link to a file that only the server's user
 * can read.
 */
async function readLimited(path: string, max: number) {
  const flags = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);
  const handle = await open(path, flags).catch(() => undefined);
  if (!handle) return undefined;
  try {
    const found = await handle.stat();
    if (!found.isFile() || found.nlink > 1) return undefined;
    const { size } = found;
    const buffer = Buffer.alloc(Math.min(size, max));
    const { bytesRead } = await handle.read(buffer, 0, buffer.length, 0);
    return { content: buffer.subarray(0, bytesRead), truncated: size > max };
  } finally {
    await handle.close();
  }
}

const folderPrefix = "paraph-tool-";
const staleMs = 3_600_000;
