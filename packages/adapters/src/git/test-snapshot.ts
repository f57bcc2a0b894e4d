import { createHash } from "node:crypto";
import { lstat, readdir, readFile, readlink } from "node:fs/promises";
import { join } from "node:path";

/** Returns everything in a folder as one string: names, kinds, modes, content and, by default, times. */
export async function snapshotTree(folder: string, times = true): Promise<string> {
  const lines: string[] = [];
  for (const name of (await readdir(folder, { recursive: true })).sort()) {
    const path = join(folder, name);
    const stat = await lstat(path);
    const content = stat.isSymbolicLink()
      ? await readlink(path)
      : stat.isFile()
        ? createHash("sha256")
            .update(await readFile(path))
            .digest("hex")
        : "";
    lines.push(JSON.stringify([name, stat.mode, times ? stat.mtimeMs : 0, content]));
  }
  return lines.join("\n");
}
