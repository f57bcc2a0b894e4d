import type { Paint } from "../output.ts";
import type { PolicyReportView } from "../policy-views.ts";
import { type Column, table } from "../table.ts";
import { moment } from "../times.ts";
import { calls, done, grouped, kinds, rulingStyle } from "./policy-ruling.ts";

interface Counted {
  readonly ruling: (typeof kinds)[number];
  readonly calls: number;
}

/** How many calls met what, by which policy, and whether that hindered any of them. */
export function reportText(report: PolicyReportView, paint: Paint): string {
  const span = `${moment(Date.parse(report.since))} to ${moment(Date.parse(report.until))}`;
  const sections = [
    `${paint("bold", calls(report.calls))}  ${paint("dim", span)}`,
    ...(report.calls > 0 ? [rulings(report, paint)] : []),
    hindrance(report, paint),
  ];
  if (report.byPolicy.length > 0)
    sections.push(
      "",
      table(
        [{ title: "BY POLICY", text: (row) => row.policy, flexible: true }, ...counts()],
        report.byPolicy,
        paint,
      ),
    );
  if (report.byCapability.length > 0)
    sections.push(
      "",
      table(
        [{ title: "BY CAPABILITY", text: (row) => row.capability, flexible: true }, ...counts()],
        report.byCapability,
        paint,
      ),
    );
  if (report.shadow.calls > 0)
    sections.push(
      "",
      `In shadow, ${calls(report.shadow.calls)} would have met something else:`,
      table(
        [{ title: "IN SHADOW", text: (row) => row.policy, flexible: true }, ...counts()],
        report.shadow.byPolicy,
        paint,
      ),
    );
  return sections.join("\n");
}

function rulings({ rulings: counted, calls: all }: PolicyReportView, paint: Paint): string {
  const width = Math.max(...kinds.map((kind) => grouped(counted[kind]).length));
  return kinds
    .map((kind) => {
      const share = counted[kind] === 0 ? "" : `${((counted[kind] / all) * 100).toFixed(1)} %`;
      const number = grouped(counted[kind]).padStart(width);
      return `  ${paint(rulingStyle(kind), number)}  ${done[kind].padEnd(12)}${paint("dim", share)}`.trimEnd();
    })
    .join("\n");
}

function hindrance({ hindered, calls: all, rulings: counted }: PolicyReportView, paint: Paint): string {
  const stopped = all - counted.allow;
  if (all === 0) return "  Policy was not asked about anything.";
  if (hindered === 0 && stopped > 0)
    return paint("yellow", "  Only observed: none of this was done, and nothing was hindered.");
  if (hindered === 0) return "  Nothing was hindered.";
  const only = stopped - hindered;
  return only > 0
    ? `  ${calls(hindered)} really met that; of ${grouped(only)} it was only observed.`
    : "  This is what they met.";
}

function counts(): Column<Counted>[] {
  return [
    { title: "RULING", text: ({ ruling }) => ruling, style: ({ ruling }) => rulingStyle(ruling) },
    { title: "CALLS", text: (row) => grouped(row.calls), right: true },
  ];
}
