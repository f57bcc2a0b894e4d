import type { FileFault } from "./document.ts";

/** Formats each fault on one line, sorted, with a location that editors understand. */
export function formatFaults(faults: readonly FileFault[]): string {
  const ordered = faults.toSorted((a, b) => a.file.localeCompare(b.file) || a.line - b.line);
  return ordered.map(({ file, line, message }) => `\n  - ${file}:${line}: ${message}`).join("");
}
