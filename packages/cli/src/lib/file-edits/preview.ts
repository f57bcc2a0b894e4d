import type { Change } from "@paraph/core";
import type { FileEdit, Piece } from "./file-edit.ts";

/** Previews only the changed ranges, because the rest of the file may contain secrets. */
export function previewFileEdit({ path, before, pieces, text }: FileEdit): Change {
  const kind = before.kind === "absent" ? "create" : "update";
  return { kind, target: path, diff: pieces.map((piece) => formatHunk(piece, text)).join("") };
}

function formatHunk({ start, end, text: replacement, place, shown }: Piece, text: string): string {
  const line = text.slice(0, start).split("\n").length;
  const { before, after } = shown ?? { before: text.slice(start, end), after: replacement };
  return [`@@ line ${line} @@ ${place}`, ...prefixLines("-", before), ...prefixLines("+", after), ""].join(
    "\n",
  );
}

function prefixLines(sign: string, text: string): string[] {
  if (text === "") return [];
  return text
    .replace(/\r?\n$/, "")
    .split(/\r?\n/)
    .map((line) => sign + line);
}
