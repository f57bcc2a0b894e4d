/** A column of a CSV export. */
export type CsvColumn<T> = readonly [title: string, cell: (entry: T) => string | number | undefined];

/**
 * Streams entries as CSV, as in RFC 4180. If the export fails, the stream aborts the connection, because CSV cannot mark
 * an export as incomplete.
 */
export function toCsvStream<T>(
  columns: readonly CsvColumn<T>[],
  entries: AsyncIterable<T>,
  failed: () => void,
): ReadableStream<Uint8Array> {
  const bytes = new TextEncoder();
  const lines = async function* () {
    yield bytes.encode(formatCsvHeader(columns));
    try {
      for await (const entry of entries) yield bytes.encode(formatCsvLine(columns, entry));
    } catch (error) {
      failed();
      throw error;
    }
  };
  return ReadableStream.from(lines());
}

/** Returns a response that a browser stores as a file. */
export function toDownload(body: ReadableStream<Uint8Array>, type: string, file: string): Response {
  const headers = {
    "content-type": type,
    "content-disposition": `attachment; filename="${file}"`,
    "cache-control": "no-store",
  };
  return new Response(body, { headers });
}

export function formatCsvHeader<T>(columns: readonly CsvColumn<T>[]): string {
  return joinCells(columns.map(([title]) => title));
}

export function formatCsvLine<T>(columns: readonly CsvColumn<T>[], entry: T): string {
  return joinCells(columns.map(([, cell]) => cell(entry) ?? ""));
}

function joinCells(cells: readonly (string | number)[]): string {
  return `${cells.map((cell) => quoteCell(escapeFormula(String(cell)))).join(",")}\r\n`;
}

/**
 * Puts an apostrophe before a text that a spreadsheet would read as a formula. The spreadsheet then reads it as text. In
 * many countries, spreadsheets separate cells with semicolons, also inside of quotation marks that do not begin a cell.
 */
function escapeFormula(cell: string): string {
  return cell.replace(/(?<=^|[;\t\r\n])[^\S;\t\r\n]*(?=[=+\-@＝＋－＠]|^[\t\r])/g, "$&'");
}

function quoteCell(cell: string): string {
  return /[",\r\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell;
}
