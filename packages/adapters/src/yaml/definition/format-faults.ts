import type { FileFault } from "./document.ts";

/** Formats the faults as an indented list. */
export function formatFaults(faults: readonly FileFault[]): string {
  return listFaultLines(faults)
    .map((line) => `\n  - ${line}`)
    .join("");
}

/** Formats each fault on one line, sorted, with a location that editors understand. */
export function listFaultLines(faults: readonly FileFault[]): string[] {
  const ordered = faults.toSorted((a, b) => a.file.localeCompare(b.file) || a.line - b.line);
  return ordered.map(({ file, line, message }) => `${file}:${line}: ${message}`);
}
