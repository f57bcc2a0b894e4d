import { buildFileEdit, type FileEdit, openForEdit } from "../lib/file-edits/file-edit.ts";

/** Edits that change each of these files from beginning to end. */
export function createWholeFileEdits(paths: readonly string[]): Promise<FileEdit[]> {
  return Promise.all(
    paths.map(async (path) => {
      const found = await openForEdit(path);
      return buildFileEdit(found, [{ start: 0, end: found.text.length, text: "changed", place: "all" }]);
    }),
  );
}
