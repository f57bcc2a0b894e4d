/** Formats rows of text under a heading. The first column aligns to the left, and the others to the right. */
export function alignTable(heading: readonly string[], rows: readonly (readonly string[])[]): string {
  const all = [heading, ...rows];
  const widths = heading.map((_, column) => Math.max(...all.map((row) => (row[column] ?? "").length)));
  const line = (row: readonly string[]) =>
    widths
      .map((width, column) =>
        column === 0 ? (row[0] ?? "").padEnd(width) : (row[column] ?? "").padStart(width),
      )
      .join("  ")
      .trimEnd();
  return [line(heading), widths.map((width) => "─".repeat(width)).join("  "), ...rows.map(line)].join("\n");
}

/** Formats a number with the digits that people read. */
export function formatFigure(value: number): string {
  if (!Number.isFinite(value)) return "–";
  const size = Math.abs(value);
  if (size >= 100) return Math.round(value).toLocaleString("en");
  if (size >= 10) return value.toFixed(1);
  return size >= 0.01 || size === 0 ? value.toFixed(2) : value.toPrecision(1);
}
