import type { Entry } from "./entry.ts";
import { holdFile, holdParent } from "./held-folder.ts";

/** What a file of the workspace holds now, no more of it than was seen. */
export async function fileNow(workspace: string, { path, bytes }: Entry & { kind: "file" }): Promise<Buffer> {
  const { folder, name } = await holdParent(workspace, path);
  await using _held = folder;
  await using file = await holdFile(folder, name);
  const { buffer, bytesRead } = await file.read(Buffer.alloc(bytes), 0, bytes, 0);
  return buffer.subarray(0, bytesRead);
}
