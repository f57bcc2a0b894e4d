import type { Change, JsonObject } from "@paraph/core";
import type { Beside } from "./beside.ts";
import type { Sampled } from "./changed.ts";
import type { Look } from "./look.ts";
import { isSensitive, mask } from "./sensitive.ts";
import type { Setting } from "./setting.ts";
import type { Table } from "./table.ts";

/** A target of its own, so that policy can tell: `when: { "preview.targets": { is: "unbounded" } }`. */
const unboundedTarget = "unbounded";

interface About {
  readonly unbounded: boolean;
  readonly plan: string;
}

/** What would change, for people and for policy, which sums up `rows`. */
export function changesOf(setting: Setting, look: Look, { unbounded, plan }: About): Change[] {
  const { table, changed } = look;
  const { rows, created, deleted } = changed;
  const counts = { create: created, update: rows - created - deleted, delete: deleted };
  const kinds = (["create", "update", "delete"] as const).filter((kind) => counts[kind] > 0);
  const about: JsonObject = {
    plan,
    ...(setting.environment !== undefined && { environment: setting.environment }),
    ...(table.triggers > 0 && { triggers: table.triggers }),
  };
  const own = kinds.map((kind, index) => ({
    kind,
    target: table.name,
    summary: `${verbs[kind]} ${counted(counts[kind])} of \`${table.name}\``,
    diff: sampleText(
      setting,
      table,
      changed.sample.filter((one) => one.kind === kind),
      counts[kind],
    ),
    details: { rows: counts[kind], ...(index === 0 && about) },
  }));
  const none: Change = {
    kind: "other",
    target: table.name,
    summary: `No row of \`${table.name}\` fits: nothing would change`,
    details: { rows: 0, ...about },
  };
  return [
    ...(unbounded ? [everyRow(table)] : []),
    ...(own.length > 0 ? own : [none]),
    ...besideChanges(look.beside),
  ];
}

const verbs = { create: "Inserts", update: "Changes", delete: "Deletes" } as const;

function everyRow({ name }: Table): Change {
  return {
    kind: "other",
    target: unboundedTarget,
    summary: `Nothing limits this: every row of \`${name}\` is meant`,
  };
}

function besideChanges(beside: Beside): Change[] {
  return Object.entries(beside).flatMap(([target, counts]) =>
    (["create", "update", "delete"] as const).flatMap((kind, index) => {
      const rows = counts[index]!;
      const summary = `${verbs[kind]} ${counted(rows)} of \`${target}\` along with it, through foreign keys or triggers`;
      return rows === 0 ? [] : [{ kind, target, summary, details: { rows } }];
    }),
  );
}

const mostText = 16 * 1024;

/** Some of the rows as a unified diff, one hunk each. */
function sampleText({ sensitive }: Setting, table: Table, sample: readonly Sampled[], rows: number): string {
  const shown = (column: string, value: string | null) =>
    value === null ? "null" : isSensitive(sensitive, table, column) ? mask : JSON.stringify(value);
  const hunks: string[] = [];
  let length = 0;
  for (const { kind, key, fields } of sample) {
    const lines = fields.flatMap(([column, before, after, moving]) => [
      ...(kind === "create" ? [] : [`-${column} = ${shown(column, before)}`]),
      ...(kind === "delete"
        ? []
        : [`+${column} = ${moving === null ? shown(column, after) : `(${moving})`}`]),
    ]);
    const [old, now] = ["-", "+"].map((sign) => lines.filter((line) => line.startsWith(sign)).length);
    // The key of a new row that the database makes is another one at the change.
    const made = new Map(fields.map(([column, , , moving]) => [column, moving] as const));
    const title = Object.entries(key).map(
      ([column, value]) => `${column} = ${made.get(column) ? `(${made.get(column)})` : shown(column, value)}`,
    );
    const hunk = [`@@ -1,${old} +1,${now} @@ ${title.join(", ")}`, ...lines].join("\n");
    length += hunk.length;
    if (length > mostText) break;
    hunks.push(hunk);
  }
  const which = hunks.length < rows ? `${hunks.length} of ${counted(rows)}` : counted(rows);
  return [`--- ${table.name} (${which})`, `+++ ${table.name}`, ...hunks, ""].join("\n");
}

export function counted(rows: number): string {
  return `${rows.toLocaleString("en-GB")} ${rows === 1 ? "row" : "rows"}`;
}
