import { type Tree, treeFrom } from "./entry.ts";
import { holdFile, holdParent } from "./held-folder.ts";

const setId = 0o6000;

/**
 * Files that would run as their owner run as whoever starts them again: in the sandbox the bit means nothing, outside
 * of it the program would have made any user of this machine into the one Paraph runs as.
 */
export async function settled(workspace: string, left: Tree): Promise<Tree> {
  const entries = [];
  for (const each of left.entries) {
    if (each.kind !== "file" || (each.mode & setId) === 0) {
      entries.push(each);
      continue;
    }
    const mode = each.mode & ~setId;
    const { folder, name } = await holdParent(workspace, each.path);
    await using _held = folder;
    await using file = await holdFile(folder, name);
    await file.chmod(mode);
    entries.push({ ...each, mode });
  }
  return treeFrom(entries);
}
