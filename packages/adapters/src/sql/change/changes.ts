import type { Change, JsonObject } from "@paraph/core";
import type { SqlContext } from "../context.ts";
import type { ChangeResult } from "./make-change.ts";
import type { SampledRow } from "./run-change.ts";
import { isSensitiveColumn, sensitiveMask } from "./sensitive.ts";
import type { SideEffects } from "./side-effects.ts";
import type { Table } from "./table.ts";

/**
 * An additional target in the preview of an unbounded change. A policy can match it with `when: { "preview.targets": {
 * is: "unbounded" } }`.
 */
const unboundedTarget = "unbounded";

interface ChangeDetails {
  readonly unbounded: boolean;
  readonly plan: string;
}

/** Builds the changes of a preview for approvers and for policy. Policy adds up the `rows` of these changes. */
export function toSqlChanges(
  sqlContext: SqlContext,
  result: ChangeResult,
  { unbounded, plan }: ChangeDetails,
): Change[] {
  const { table, changed } = result;
  const { rows, created, deleted } = changed;
  const counts = { create: created, update: rows - created - deleted, delete: deleted };
  const kinds = (["create", "update", "delete"] as const).filter((kind) => counts[kind] > 0);
  const about: JsonObject = {
    plan,
    ...(sqlContext.environment !== undefined && { environment: sqlContext.environment }),
    ...(table.triggers > 0 && { triggers: table.triggers }),
  };
  const own = kinds.map((kind, index) => ({
    kind,
    target: table.name,
    summary: `${changeVerbs[kind]} ${formatRowCount(counts[kind])} of \`${table.name}\``,
    diff: formatSample(
      sqlContext,
      table,
      changed.sample.filter((one) => one.kind === kind),
      counts[kind],
    ),
    details: { rows: counts[kind], ...(index === 0 && about) },
  }));
  const none: Change = {
    kind: "other",
    target: table.name,
    summary: `No row of \`${table.name}\` matches, so nothing would change`,
    details: { rows: 0, ...about },
  };
  return [
    ...(unbounded ? [toUnboundedChange(table)] : []),
    ...(own.length > 0 ? own : [none]),
    ...toSideEffectChanges(result.beside),
  ];
}

const changeVerbs = { create: "Inserts", update: "Changes", delete: "Deletes" } as const;

function toUnboundedChange({ name }: Table): Change {
  return {
    kind: "other",
    target: unboundedTarget,
    summary: `No condition limits the statement, so it applies to every row of \`${name}\``,
  };
}

function toSideEffectChanges(beside: SideEffects): Change[] {
  return Object.entries(beside).flatMap(([target, counts]) =>
    (["create", "update", "delete"] as const).flatMap((kind, index) => {
      const rows = counts[index]!;
      const summary = `${changeVerbs[kind]} ${formatRowCount(rows)} of \`${target}\` as a side effect, through foreign keys or triggers`;
      return rows === 0 ? [] : [{ kind, target, summary, details: { rows } }];
    }),
  );
}

const maxSampleLength = 16 * 1024;

/** Formats some of the rows as a unified diff with one hunk per row. */
function formatSample(
  { sensitive }: SqlContext,
  table: Table,
  sample: readonly SampledRow[],
  rows: number,
): string {
  const shown = (column: string, value: string | null) =>
    value === null
      ? "null"
      : isSensitiveColumn(sensitive, table, column)
        ? sensitiveMask
        : JSON.stringify(value);
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
    // If the database generates the key of a new row, the applied row gets a different key than the previewed row. The
    // title therefore describes such a key instead of showing its value.
    const made = new Map(fields.map(([column, , , moving]) => [column, moving] as const));
    const title = Object.entries(key).map(
      ([column, value]) => `${column} = ${made.get(column) ? `(${made.get(column)})` : shown(column, value)}`,
    );
    const hunk = [`@@ -1,${old} +1,${now} @@ ${title.join(", ")}`, ...lines].join("\n");
    length += hunk.length;
    if (length > maxSampleLength) break;
    hunks.push(hunk);
  }
  const which = hunks.length < rows ? `${hunks.length} of ${formatRowCount(rows)}` : formatRowCount(rows);
  return [`--- ${table.name} (${which})`, `+++ ${table.name}`, ...hunks, ""].join("\n");
}

export function formatRowCount(rows: number): string {
  return `${rows.toLocaleString("en-GB")} ${rows === 1 ? "row" : "rows"}`;
}
