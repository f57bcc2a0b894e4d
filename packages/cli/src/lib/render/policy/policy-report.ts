import { rulingKinds } from "@paraph/core";
import type { PolicyReportView } from "../../api/policy-views.ts";
import { formatTimestamp } from "../../terminal/format-time.ts";
import type { Paint } from "../../terminal/output.ts";
import { formatTable, type TableColumn } from "../../terminal/table.ts";
import { formatCallCount, formatNumber, pickRulingStyle, rulingResults } from "./policy-ruling.ts";

interface CountRow {
  readonly ruling: (typeof rulingKinds)[number];
  readonly calls: number;
}

/** Formats the number of calls by ruling and policy, and states whether Paraph applied the rulings. */
export function formatPolicyReport(report: PolicyReportView, paint: Paint): string {
  const span = `${formatTimestamp(Date.parse(report.since))} to ${formatTimestamp(Date.parse(report.until))}`;
  const sections = [
    `${paint("bold", formatCallCount(report.calls))}  ${paint("dim", span)}`,
    ...(report.calls > 0 ? [formatRulingCounts(report, paint)] : []),
    formatHindrance(report, paint),
  ];
  if (report.byPolicy.length > 0)
    sections.push(
      "",
      formatTable(
        [{ title: "BY POLICY", text: (row) => row.policy, flexible: true }, ...buildCountColumns()],
        report.byPolicy,
        paint,
      ),
    );
  if (report.byCapability.length > 0)
    sections.push(
      "",
      formatTable(
        [{ title: "BY CAPABILITY", text: (row) => row.capability, flexible: true }, ...buildCountColumns()],
        report.byCapability,
        paint,
      ),
    );
  if (report.shadow.calls > 0)
    sections.push(
      "",
      `Shadow policies would have ruled differently on ${formatCallCount(report.shadow.calls)}:`,
      formatTable(
        [{ title: "IN SHADOW", text: (row) => row.policy, flexible: true }, ...buildCountColumns()],
        report.shadow.byPolicy,
        paint,
      ),
    );
  return sections.join("\n");
}

function formatRulingCounts({ rulings, calls }: PolicyReportView, paint: Paint): string {
  const width = Math.max(...rulingKinds.map((kind) => formatNumber(rulings[kind]).length));
  return rulingKinds
    .map((kind) => {
      const share = rulings[kind] === 0 ? "" : `${((rulings[kind] / calls) * 100).toFixed(1)} %`;
      const number = formatNumber(rulings[kind]).padStart(width);
      return `  ${paint(pickRulingStyle(kind), number)}  ${rulingResults[kind].padEnd(12)}${paint("dim", share)}`.trimEnd();
    })
    .join("\n");
}

function formatHindrance({ enforced, calls, rulings }: PolicyReportView, paint: Paint): string {
  const stopped = calls - rulings.allow;
  if (calls === 0) return "  Policy ruled on no calls.";
  if (enforced === 0 && stopped > 0)
    return paint("yellow", "  Observe mode: these rulings were recorded and not applied.");
  if (enforced === 0) return "  No call was stopped.";
  const only = stopped - enforced;
  return only > 0
    ? `  Paraph applied the rulings to ${formatCallCount(enforced)} and only recorded them for ${formatNumber(only)}.`
    : "  All rulings were applied.";
}

function buildCountColumns(): TableColumn<CountRow>[] {
  return [
    { title: "RULING", text: ({ ruling }) => ruling, style: ({ ruling }) => pickRulingStyle(ruling) },
    { title: "CALLS", text: (row) => formatNumber(row.calls), right: true },
  ];
}
