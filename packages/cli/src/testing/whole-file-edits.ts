import { buildFileEdit, type FileEdit, openForEdit } from "../lib/file-edits/file-edit.ts";

/** Creates edits that replace the whole content of each file. */
export function createWholeFileEdits(paths: readonly string[]): Promise<FileEdit[]> {
  return Promise.all(
    paths.map(async (path) => {
      const found = await openForEdit(path);
      return buildFileEdit(found, [{ start: 0, end: found.text.length, text: "changed", place: "all" }]);
    }),
  );
}
