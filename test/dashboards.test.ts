import { spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { hasProgram } from "./support/optional-programs.ts";

const toPath = (path: string) => fileURLToPath(new URL(`../${path}`, import.meta.url));
const read = (path: string) => readFileSync(toPath(path), "utf8");
const promtool = "/usr/bin/promtool";

interface Alert {
  readonly alert: string;
  readonly expr: string;
  readonly for: string;
  readonly labels: { readonly severity: string };
  readonly annotations: Readonly<Record<"summary" | "description" | "runbook_url", string>>;
}
interface Panel {
  readonly title: string;
  readonly targets?: readonly { readonly expr: string; readonly legendFormat: string }[];
}
const rules: { groups: { rules: Alert[] }[] } = parse(read("deploy/prometheus/alerts.yaml"));
const alerts = rules.groups.flatMap((group) => group.rules);
const dashboard: { panels: Panel[] } = JSON.parse(read("deploy/grafana/paraph-dashboard.json"));

/** The labels of each metric, as docs/reference/metrics.md lists them, with the series of histograms. */
const metrics = new Map<string, ReadonlySet<string>>([["up", new Set()]]);
for (const [, name, kind, labels] of read("docs/reference/metrics.md").matchAll(
  /^\| `(\w+)` \| (counter|histogram|gauge) \| (.*?) \|/gm,
)) {
  const own = new Set([...labels!.matchAll(/`(\w+)`/g)].map(([, label]) => label!));
  if (kind !== "histogram") metrics.set(name!, own);
  else for (const end of ["bucket", "sum", "count"]) metrics.set(`${name}_${end}`, new Set([...own, "le"]));
}
/** The labels that Prometheus adds to every series. */
const targetLabels = ["job", "instance"];

/** Returns the names in an expression that no metric has, and the labels that none of its metrics has. */
function findUnknownNames(expression: string, shown = ""): string[] {
  const query = expression.replace(/"[^"]*"/g, '""');
  const names = [...query.matchAll(/\b(?:up|(?:paraph|executor)_\w+)\b/g)].map(([name]) => name);
  const labels = [
    ...[...query.matchAll(/\b(?:by|on|without|ignoring) \(([^)]*)\)/g)].flatMap(([, list]) =>
      list!.split(/, */),
    ),
    ...[...query.matchAll(/(\w+)(?:=~|!~|!=|=)""/g)].map(([, label]) => label!),
    ...[...shown.matchAll(/\{\{ ?(?:\$labels\.)?([a-z]\w*) ?\}\}/g)].map(([, label]) => label!),
  ];
  const known = new Set([...targetLabels, ...names.flatMap((name) => [...(metrics.get(name) ?? [])])]);
  return [...names.filter((name) => !metrics.has(name)), ...labels.filter((label) => !known.has(label))];
}

it("the check finds metrics and labels that do not exist", () => {
  const query =
    'sum by (le, tenant) (rate(paraph_lock_wait_seconds_bucket{code="x"}[5m])) / paraph_calls_gone';
  expect(findUnknownNames(query, "{{capability}} {{pool}}")).toEqual([
    ...["paraph_calls_gone", "tenant", "code", "pool"],
  ]);
});

describe("deploy/grafana/paraph-dashboard.json", () => {
  const targets = dashboard.panels.flatMap(({ title, targets = [] }) =>
    targets.map((target) => ({ title, ...target })),
  );

  it.each(targets)("$title queries only documented metrics and labels", ({ expr, legendFormat }) => {
    expect(findUnknownNames(expr, legendFormat)).toEqual([]);
    expect(expr).toMatch(/paraph_|executor_/);
  });

  it("shows every metric of the backlog, and names a runbook that exists", () => {
    const text = JSON.stringify(dashboard);
    const gauges = [...read("docs/reference/metrics.md").matchAll(/^\| `(\w+)` \| gauge/gm)].map(
      ([, name]) => name!,
    );
    expect(gauges.filter((name) => !text.includes(name))).toEqual([]);
    const named = [...text.matchAll(/Runbook: (\w+)/g)].map(([, name]) => name!);
    expect(named.filter((name) => !alerts.some(({ alert }) => alert === name))).toEqual([]);
  });
});

describe("deploy/prometheus/alerts.yaml", () => {
  it.each(alerts)("$alert has a severity, a duration, plain words and a runbook", (rule) => {
    const { alert, expr, labels, annotations } = rule;
    expect(findUnknownNames(expr, annotations.description)).toEqual([]);
    expect(rule.for).toMatch(/^\d+m$/);
    expect(["critical", "warning"]).toContain(labels.severity);
    expect(annotations.summary).toMatch(/^[A-Z][^.]{10,60}$/);
    expect(annotations.description).toMatch(/\.$/);
    expect(annotations.runbook_url).toBe(`https://paraph.dev/operate/runbooks/#${alert.toLowerCase()}`);
  });

  it.runIf(
    hasProgram(existsSync(promtool), "promtool", "apt-get install -y --no-install-recommends prometheus"),
  )("fires as alerts.test.yaml expects, which covers each alert", () => {
    const tests = "deploy/prometheus/alerts.test.yaml";
    const { status, stdout, stderr } = spawnSync(promtool, ["test", "rules", toPath(tests)]);
    expect(`${stdout}${stderr}`).toContain("SUCCESS");
    expect(status).toBe(0);
    const names = [...read(tests).matchAll(/alertname="(\w+)"/g)].map(([, name]) => name);
    expect(alerts.map(({ alert }) => alert).filter((alert) => !names.includes(alert))).toEqual([]);
  });

  it("docs/operate/runbooks.md has a section for each alert and no other, and each has four parts", () => {
    const sections = read("docs/operate/runbooks.md").split(/^## /m).slice(1);
    expect(sections.map((section) => section.split("\n")[0])).toEqual(
      expect.arrayContaining(alerts.map(({ alert }) => alert)),
    );
    expect(sections).toHaveLength(alerts.length);
    for (const section of sections)
      for (const part of ["Meaning.", "People notice", "Check.", "Do."])
        expect(section).toContain(`**${part}**`);
  });
});
