import type { WorkspaceEntry } from "./entry.ts";
import { openFile, openParent } from "./folder-handle.ts";

/** Reads a file of the workspace, up to the size that the tree recorded. */
export async function readWorkspaceFile(
  workspace: string,
  { path, bytes }: WorkspaceEntry & { kind: "file" },
): Promise<Buffer> {
  const { folder, name } = await openParent(workspace, path);
  await using _held = folder;
  await using file = await openFile(folder, name);
  const { buffer, bytesRead } = await file.read(Buffer.alloc(bytes), 0, bytes, 0);
  return buffer.subarray(0, bytesRead);
}
