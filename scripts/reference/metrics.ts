import type { Measurement } from "@paraph/core";
import { metricAttributes } from "../../packages/server/src/telemetry/allow-list.ts";
import { startTelemetry } from "../../packages/server/src/telemetry/index.ts";
import { type GaugeName, instrumentKinds } from "../../packages/server/src/telemetry/instruments.ts";
import { formatCodeBlock, formatPage, formatTable, toCode, toSentence, wrapParagraph } from "./markdown.ts";
import { listProductSources, readKey, readSource, type SyntaxNode, walkNodes } from "./source.ts";

type MetricName = keyof typeof instrumentKinds;

const labelMeanings = {
  capability: "the name of the capability",
  outcome: "the outcome of the call",
  decision: "`approve` or `deny`",
  result: "`value` if the attempt succeeded, otherwise `fault`",
  effect: "the effect of the capability",
  risk: "the risk of the capability",
  code: "the code of the error",
  entry: "the kind of the record",
  status: "the status code of the response",
  part: "the part of the process, such as `postgres` or `engine`",
  pool: "the pool of connections: `app`, `reports` or `sweeper`",
  channel: "the name of the channel, such as `mail` or `push`",
  kind: "the kind of the notice: `request`, `reminder`, `escalation`, `outcome` or `summary`",
} as const satisfies Record<keyof typeof metricAttributes, string>;

export async function renderMetricsPage(): Promise<string> {
  const names = Object.keys(instrumentKinds) as MetricName[];
  const labels = readMetricLabels();
  const exported = await readPrometheusNames(names);
  const used = Object.keys(labelMeanings).filter((label) =>
    [...labels.values()].some((own) => own.has(label)),
  );
  return formatPage(
    "Metrics",
    wrapParagraph(
      "Every metric of a Paraph process, with its type and its labels. Set `metrics` in the configuration to serve them to Prometheus, or `OTEL_EXPORTER_OTLP_ENDPOINT` to export them over OTLP. You can use both.",
    ),
    formatCodeBlock("ts config", 'metrics: { host: "127.0.0.1", port: 9464 },'),
    formatCodeBlock("sh skip: needs a process with metrics", "curl -s http://127.0.0.1:9464/metrics"),
    wrapParagraph(
      "The first column is the name in Prometheus. A histogram has the suffixes `_bucket`, `_sum` and `_count`. Over OTLP, a metric has the name in the second table.",
    ),
    formatTable(
      ["Metric", "Type", "Labels", "Meaning"],
      names.map((name) => [
        toCode(exported.get(name)!),
        instrumentKinds[name].kind,
        [...(labels.get(name) ?? [])].map(toCode).join(", "),
        toSentence(instrumentKinds[name].about),
      ]),
    ),
    "## Labels",
    wrapParagraph(
      "No label holds an id or a text from a call. A metric has at most 1,000 series in one process. All further series share one with the label `otel_metric_overflow`.",
    ),
    formatTable(
      ["Label", "Value"],
      used.map((label) => [toCode(label), toSentence(labelMeanings[label as keyof typeof labelMeanings])]),
    ),
    "## Names over OTLP",
    formatTable(
      ["OTLP", "Prometheus", "Buckets"],
      names.map((name) => [
        toCode(name),
        toCode(exported.get(name)!),
        (instrumentKinds[name].buckets ?? []).join(", "),
      ]),
    ),
  );
}

/** Reads the labels of each metric from the places in the source that measure it. */
export function readMetricLabels(): ReadonlyMap<string, ReadonlySet<string>> {
  const found = new Map<string, Set<string>>();
  for (const path of listProductSources()) {
    for (const node of walkNodes(readSource(path).program)) {
      if (node.type !== "CallExpression" || node.callee.property?.name !== "measure") continue;
      const [name, , about] = node.arguments as SyntaxNode[];
      const labels = about?.type === "ObjectExpression" ? about.properties.map(readKey) : [];
      const known = found.get(name!.value) ?? new Set();
      found.set(
        name!.value,
        new Set([...known, ...labels.filter((label: string) => label in metricAttributes)]),
      );
    }
  }
  return found;
}

/** Measures each metric once, and reads the names under which Prometheus sees them. */
async function readPrometheusNames(names: readonly MetricName[]): Promise<ReadonlyMap<string, string>> {
  const exported = new Map<string, string>();
  for (const name of names) {
    const runtime = await startTelemetry({
      service: "paraph",
      version: "0.0.0",
      role: "all",
      servesMetrics: true,
      env: {},
    });
    runtime.addGauges(async (reading) => reading.measure(name as GaugeName, 1));
    runtime.telemetry.measure(name as Measurement, 1);
    const text = await runtime.metricsText();
    await runtime.stop();
    exported.set(name, /^# TYPE (?!target_info)(\S+) \w+$/m.exec(text)![1]!);
  }
  return exported;
}
