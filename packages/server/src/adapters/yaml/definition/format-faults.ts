import type { FileFault } from "./document.ts";

/** Every fault on a line of its own, in order, in the form in which editors find the place. */
export function formatFaults(faults: readonly FileFault[]): string {
  const ordered = faults.toSorted((a, b) => a.file.localeCompare(b.file) || a.line - b.line);
  return ordered.map(({ file, line, message }) => `\n  - ${file}:${line}: ${message}`).join("");
}
