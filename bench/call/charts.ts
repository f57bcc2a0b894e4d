import { drawBarChart, drawLineChart } from "../lib/svg.ts";
import type { CallBenchResult, VariantFigure } from "./result.ts";
import { variants } from "./variants.ts";

/** Draws the results as SVG charts, by file name. */
export function drawCharts(result: CallBenchResult): Readonly<Record<string, string>> {
  const { figures, machine, at, waiting } = result;
  const note = `${machine.cpu}, ${machine.cores} cores, everything on them; ${at.slice(0, 10)}, commit ${machine.commit}`;
  const groups = ["bare engine", "governed write", "governed read"];
  const byVariant = (
    connections: number,
    mark: (figure: VariantFigure) => { value: number; low?: number; high?: number },
  ) => variants.map((variant) => mark(figures[variant][connections]!));
  const rate = ({ callsPerSecond: { median, low, high } }: VariantFigure) => ({ value: median, low, high });
  return {
    "call-latency.svg": drawBarChart({
      title: "Latency of one call at a time",
      unit: "milliseconds",
      note,
      groups,
      series: (["p50", "p95", "p99"] as const).map((name) => ({
        name,
        marks: byVariant(1, ({ latency }) => ({ value: latency[name] })),
      })),
    }),
    "call-throughput.svg": drawBarChart({
      title: "Calls per second",
      unit: "median and range over rounds",
      note,
      groups,
      series: [32, 64].map((connections) => ({
        name: `${connections} connections`,
        marks: byVariant(connections, rate),
      })),
    }),
    "call-waiting.svg": drawLineChart({
      title: "Governed writes while approvals wait",
      unit: "throughput, of that with none waiting",
      note,
      groups: ["none", ...waiting.map(({ approvals }) => `${approvals.toLocaleString("en")} waiting`)],
      marks: [
        { value: 1 },
        ...waiting.map(({ ratio: { median, low, high } }) => ({ value: median, low, high })),
      ],
      floor: { value: 0.9, name: "target" },
    }),
  };
}
