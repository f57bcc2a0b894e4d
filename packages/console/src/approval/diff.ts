/** A line of a unified diff. `number` is its line in the new text, or in the old one if it was removed. */
export interface DiffLine {
  readonly kind: "added" | "removed" | "same" | "head";
  readonly text: string;
  readonly number?: number;
}

/**
 * Splits a unified diff into lines. Each hunk states its length, so a removed line that begins with `--` is not taken
 * for a file header.
 */
export function parseDiff(diff: string): readonly DiffLine[] {
  const lines: DiffLine[] = [];
  let [oldLeft, newLeft, oldNumber, newNumber] = [0, 0, 0, 0];
  for (const line of diff.replace(/\n$/, "").split("\n")) {
    const hunk = /^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@/.exec(line);
    if (hunk) {
      const [oldStart = 1, oldCount = 1, newStart = 1, newCount = 1] = hunk
        .slice(1)
        .map((group) => Number(group ?? 1));
      [oldNumber, oldLeft, newNumber, newLeft] = [oldStart, oldCount, newStart, newCount];
      lines.push({ kind: "head", text: line });
      continue;
    }
    const isInside = oldLeft > 0 || newLeft > 0;
    if (!isInside && /^(\+\+\+|---|diff |index |Index: |={3,})/.test(line)) {
      lines.push({ kind: "head", text: line });
      continue;
    }
    const kind = line.startsWith("+") ? "added" : line.startsWith("-") ? "removed" : "same";
    const number = kind === "removed" ? oldNumber : newNumber;
    lines.push({ kind, text: line, ...(isInside && !line.startsWith("\\") && { number }) });
    if (!isInside || line.startsWith("\\")) continue;
    if (kind !== "added") [oldLeft, oldNumber] = [oldLeft - 1, oldNumber + 1];
    if (kind !== "removed") [newLeft, newNumber] = [newLeft - 1, newNumber + 1];
  }
  return lines;
}
