import type { WorkspaceEntry } from "./entry.ts";
import { openFile, openParent } from "./folder-handle.ts";

/** What a file of the workspace holds now, no more of it than was seen. */
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
