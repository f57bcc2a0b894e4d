// The table of docs/operate/scale.md. Its figures come from the result file of the benchmark `budget`.
import { readFileSync } from "node:fs";
import { join } from "node:path";

interface CallCost {
  readonly api: number;
  readonly worker: number;
  readonly postgres: number;
  readonly walBytes: number;
  readonly fsyncs: number;
}

const kinds = [
  ["read", "Read"],
  ["write", "Write without approval"],
  ["asked", "Request, approval and write"],
  ["locked", "Write that waits for a busy lock key"],
] as const;

const mark = (word: string) => `<!-- ${word}: npm run proof -->\n`;

/** Replaces the table between the marks of the page. `folder` holds the result files. */
export function replaceScaleTable(page: string, folder: string): string {
  const [head, rest, ...more] = page.split(mark("table"));
  const [, tail] = rest?.split(mark("end")) ?? [];
  if (tail === undefined || more.length > 0)
    throw new Error("docs/operate/scale.md has no marks for its table");
  return `${head}${mark("table")}\n${renderScaleTable(folder)}\n\n${mark("end")}${tail}`;
}

function renderScaleTable(folder: string): string {
  const { at, commit, costs } = JSON.parse(readFileSync(join(folder, "bench-budget.json"), "utf8")) as {
    readonly at: string;
    readonly commit: string;
    readonly costs: Readonly<Record<(typeof kinds)[number][0], CallCost>>;
  };
  const rows = kinds.map(([kind, title]) => {
    const { api, worker, postgres, walBytes, fsyncs } = costs[kind];
    const all = [api, worker, postgres];
    // A million calls of one microsecond take one second.
    const hours = [...all, all.reduce((sum, each) => sum + each, 0)].map((each) => (each / 3_600).toFixed(2));
    return `| ${[title, ...hours, (walBytes / 1_000).toFixed(1), fsyncs.toFixed(2)].join(" | ")} |`;
  });
  return [
    "| A million calls of this kind | API, core hours | Worker | PostgreSQL | Together | WAL, GB | Syncs per call |",
    "| --- | --- | --- | --- | --- | --- | --- |",
    ...rows,
    "",
    `*Measured on ${at.slice(0, 10)}, commit ${commit}, with 32 connections on 2 cores. More connections share more syncs.*`,
  ].join("\n");
}
