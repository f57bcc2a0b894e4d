import { escapeInvisible } from "@paraph/core/escape-invisible";
import type { Paint, Style } from "./output.ts";
import { measureWidth, padToWidth, truncateToWidth } from "./width.ts";

export interface TableColumn<Row> {
  readonly title: string;
  /** Returns the text of a cell. The table escapes it. */
  readonly text: (row: Row) => string;
  readonly style?: (row: Row) => Style | undefined;
  /** Whether the column may be truncated to fit the terminal. */
  readonly flexible?: boolean;
  /** Whether to align the column to the right, as for numbers. */
  readonly right?: boolean;
}

const gap = "  ";

/**
 * Formats rows under column titles, with columns as narrow as possible. Only flexible columns are truncated, and only
 * to fit the width of a terminal.
 */
export function formatTable<Row>(
  columns: readonly TableColumn<Row>[],
  rows: readonly Row[],
  paint: Paint,
): string {
  const cells = rows.map((row) => columns.map((column) => escapeInvisible(column.text(row))));
  const natural = columns.map((column, index) =>
    Math.max(measureWidth(column.title), ...cells.map((row) => measureWidth(row[index]!))),
  );
  const widths = fitWidths(columns, natural, paint.width);
  const line = (texts: readonly string[], painted: (text: string, index: number) => string) =>
    texts
      .map((text, index) => {
        const width = widths[index]!;
        const cell = painted(truncateToWidth(text, width), index);
        return columns[index]?.right
          ? " ".repeat(width - measureWidth(cell)) + cell
          : padToWidth(cell, width);
      })
      .join(gap)
      .trimEnd();
  const head = line(
    columns.map(({ title }) => title),
    (text) => paint("dim", text),
  );
  const body = rows.map((row, number) =>
    line(cells[number]!, (text, index) => {
      const style = columns[index]?.style?.(row);
      return style === undefined ? text : paint(style, text);
    }),
  );
  return [head, ...body].join("\n");
}

function fitWidths<Row>(
  columns: readonly TableColumn<Row>[],
  natural: readonly number[],
  available: number | undefined,
): number[] {
  const widths = [...natural];
  if (available === undefined) return widths;
  let over = widths.reduce((sum, width) => sum + width, 0) + gap.length * (columns.length - 1) - available;
  // The columns to the right are less important, so they are truncated first.
  for (const [index, column] of [...columns.entries()].reverse()) {
    if (over <= 0 || !column.flexible) continue;
    const cut = Math.min(over, Math.max(0, widths[index]! - Math.max(12, measureWidth(column.title))));
    widths[index]! -= cut;
    over -= cut;
  }
  return widths;
}
