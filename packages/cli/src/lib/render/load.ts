import type { LoadView } from "../api/api-views.ts";
import { formatDuration, formatTimestamp } from "../terminal/format-time.ts";
import { type Paint, plain, type Style } from "../terminal/output.ts";
import { formatTable } from "../terminal/table.ts";
import { padToWidth } from "../terminal/width.ts";
import { pickOutcomeStyle } from "./outcome.ts";

const outcomes = [
  ["succeeded", "failed", "unknown", "refused"],
  ["denied", "expired", "cancelled", "superseded"],
];
const columnWidth = 40;
/** The number of adapters that fit below the other numbers in 24 rows. */
const maxAdapters = 8;

/** Formats the current load for a terminal of 80 columns and 24 rows. The hint goes beside the time. */
export function formatLoad(load: LoadView, paint: Paint, hint?: string): string {
  const heading = [formatTimestamp(Date.parse(load.at)), ...(hint === undefined ? [] : [hint])].join("  ");
  return [
    `${paint("bold", "Load")}  ${paint("dim", heading)}`,
    "",
    paint("bold", `Calls per second, last ${formatDuration(load.outcomes.seconds * 1_000)}`),
    ...outcomes.map((row) => `  ${row.map((kind) => formatRate(load, kind, paint)).join("  ")}`.trimEnd()),
    "",
    ...joinColumns(formatApprovals(load, paint), formatWaiting(load, paint)),
    "",
    ...formatAdapters(load, paint),
  ].join("\n");
}

function formatRate({ outcomes: { seconds, counts } }: LoadView, kind: string, paint: Paint): string {
  const count = counts[kind] ?? 0;
  const text = `${kind.padEnd(10)} ${(count / seconds).toFixed(2).padStart(6)}`;
  return paint(count === 0 ? "dim" : pickOutcomeStyle(kind), text);
}

function formatApprovals({ approvals: { byAge, count, oldestMs } }: LoadView, paint: Paint): string[] {
  const rows = byAge.map(({ from, to, count: waiting }) =>
    formatNumber(formatAgeRange(from, to), waiting, to === undefined ? "yellow" : plain, paint),
  );
  const oldest = oldestMs === undefined ? [] : [`  oldest ${formatDuration(oldestMs).padStart(17)}`];
  return [paint("bold", `Open approvals: ${formatCapped(count)}`), ...rows, ...oldest];
}

function formatAgeRange(from: number, to: number | undefined): string {
  const start = formatDuration(from * 60_000);
  if (to === undefined) return `over ${start}`;
  const end = formatDuration(to * 60_000);
  return from === 0 ? `under ${end}` : `${start} to ${end}`;
}

function formatWaiting({ due, stuck, unknown, locksHeld }: LoadView, paint: Paint): string[] {
  const oldest = due.oldestMs === undefined ? "" : `  oldest ${formatDuration(due.oldestMs)}`;
  return [
    paint("bold", "Calls and locks"),
    `${formatNumber("due", due.count, plain, paint)}${oldest}`,
    formatNumber("stuck", stuck, "red", paint),
    formatNumber("unknown outcome", unknown, "magenta", paint),
    formatNumber("locks held", locksHeld, plain, paint),
  ];
}

/** Formats a number, in this style if it is not 0. */
function formatNumber(name: string, count: number, style: Style, paint: Paint): string {
  const text = `${name.padEnd(16)} ${formatCapped(count).padStart(7)}`;
  return `  ${paint(count === 0 ? "dim" : style, text)}`;
}

/** The server stops counting at 10,000. */
function formatCapped(count: number): string {
  return count >= 10_000 ? "10,000+" : String(count);
}

function joinColumns(left: readonly string[], right: readonly string[]): string[] {
  return Array.from({ length: Math.max(left.length, right.length) }, (_, row) =>
    `${padToWidth(left[row] ?? "", columnWidth)}${right[row] ?? ""}`.trimEnd(),
  );
}

function formatAdapters({ adapters: { seconds, slowest } }: LoadView, paint: Paint): string[] {
  const period = formatDuration(seconds * 1_000);
  if (slowest.length === 0) return [paint("dim", `No adapter performed a call in the last ${period}.`)];
  const table = formatTable(
    [
      { title: "ADAPTER", text: ({ adapter }) => adapter, flexible: true },
      { title: "CALLS", text: ({ calls }) => String(calls), right: true },
      { title: "P50", text: ({ p50Ms }) => formatDuration(p50Ms), right: true },
      { title: "P95", text: ({ p95Ms }) => formatDuration(p95Ms), right: true },
    ],
    slowest.slice(0, maxAdapters),
    paint,
  );
  return [paint("bold", `Slowest adapters, last ${period}`), ...table.split("\n").map((line) => `  ${line}`)];
}
