import type { Activity } from "../../services/activity.ts";
import { toIso } from "../views/call-view.ts";

const columns: readonly (readonly [title: string, cell: (entry: Activity) => string | number | undefined])[] =
  [
    ["id", ({ id }) => id],
    ["at", ({ at }) => toIso(at)],
    ["kind", ({ kind }) => kind],
    ["call", ({ call }) => call],
    ["plan", ({ plan }) => plan],
    ["step", ({ step }) => step],
    ["undoes", ({ undoes }) => undoes],
    ["capability", ({ capability }) => capability],
    ["principal", ({ principal }) => principal],
    ["on_behalf_of", ({ onBehalfOf }) => onBehalfOf],
    ["by", ({ by }) => by],
    ["to", ({ to }) => to],
    ["as", ({ as }) => as],
    ["approval", ({ approval }) => approval],
    ["round", ({ round }) => round],
    ["outcome", ({ outcome }) => outcome],
    ["code", ({ code }) => code],
    ["finding", ({ finding }) => finding],
    ["declined", ({ declined }) => declined?.join(" ")],
    ["successor", ({ successor }) => successor],
    ["receipt", ({ receipt }) => receipt],
  ];

/** The header line of the CSV export. */
export const csvHeader = joinCells(columns.map(([title]) => title));

/** Returns one line of CSV, as in RFC 4180. */
export function formatCsvLine(entry: Activity): string {
  return joinCells(columns.map(([, cell]) => cell(entry) ?? ""));
}

function joinCells(cells: readonly (string | number)[]): string {
  return `${cells.map((cell) => quoteCell(escapeFormula(String(cell)))).join(",")}\r\n`;
}

/**
 * Puts an apostrophe before a cell that a spreadsheet would read as a formula. The spreadsheet then reads the cell as
 * text.
 */
function escapeFormula(cell: string): string {
  return /^[=+\-@\t\r＝＋－＠]/.test(cell) ? `'${cell}` : cell;
}

function quoteCell(cell: string): string {
  return /[",\r\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell;
}
