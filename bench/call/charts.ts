import { drawBarChart, drawLineChart } from "../lib/svg.ts";
import type { CallBenchResult, VariantFigure } from "./result.ts";
import { listVariants, type Variant } from "./variants.ts";

const groupTitles: Readonly<Record<Variant, string>> = {
  bare: "bare engine",
  write: "governed write",
  read: "governed read",
};

/** Draws the results as SVG charts, by name. */
export function drawCharts(result: CallBenchResult): Readonly<Record<string, string>> {
  const { figures, engine, machine, at, waiting } = result;
  const note = `${machine.cpu}, ${machine.cores} cores, everything on them; engine ${engine}; ${at.slice(0, 10)}, commit ${machine.commit}`;
  const variants = listVariants(engine);
  const groups = variants.map((variant) => groupTitles[variant]);
  const byVariant = (
    connections: number,
    mark: (figure: VariantFigure) => { value: number; low?: number; high?: number },
  ) => variants.map((variant) => mark(figures[variant]![connections]!));
  const rate = ({ callsPerSecond: { median, low, high } }: VariantFigure) => ({ value: median, low, high });
  return {
    "call-latency": drawBarChart({
      title: "Latency of one call at a time",
      unit: "milliseconds",
      note,
      groups,
      series: (["p50", "p95", "p99"] as const).map((name) => ({
        name,
        marks: byVariant(1, ({ latency }) => ({ value: latency[name] })),
      })),
    }),
    "call-throughput": drawBarChart({
      title: "Calls per second",
      unit: "median and range over rounds",
      note,
      groups,
      series: [32, 64].map((connections) => ({
        name: `${connections} connections`,
        marks: byVariant(connections, rate),
      })),
    }),
    "call-waiting": drawLineChart({
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
