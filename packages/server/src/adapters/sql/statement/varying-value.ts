import type { VaryingKind } from "./assignments.ts";

/**
 * SQL for the words that stand for a new value which is another one at every run; null where the value is to be taken as it
 * is, and nothing where it always is. The words are shown to people and compared at the change, in place of the value.
 */
export function toVaryingText(
  moving: VaryingKind | undefined,
  type: string,
  value: string,
): string | undefined {
  if (moving === "generated") return `'${generatedText}'::text`;
  if (moving === "generated-new") return `case when before is null then '${generatedText}' end`;
  const at = `(${value})::${type}`;
  if (type === "date") return moving === "clocked" ? toDaysText(at) : undefined;
  const clock = clocksByType[type];
  return clock && (moving === "clocked" ? toDistanceText : toNowText)(at, clock);
}

const generatedText = "made by the database";

/** The time of the transaction, and the time at the end of the statement, in one type. */
type ClockExpressions = readonly (readonly [now: string, end: string])[];

const clocksByType: Readonly<Record<string, ClockExpressions>> = {
  "timestamp with time zone": [["pg_catalog.transaction_timestamp()", "pg_catalog.clock_timestamp()"]],
  "timestamp without time zone": [
    ["localtimestamp", "pg_catalog.clock_timestamp()::timestamp"],
    [
      "pg_catalog.timezone('UTC', pg_catalog.transaction_timestamp())",
      "pg_catalog.timezone('UTC', pg_catalog.clock_timestamp())",
    ],
  ],
};

/** Columns may hold whole seconds, and a clock goes on while a statement runs. */
function toNowCondition(value: string, clock: ClockExpressions): string {
  const within = clock.map(
    ([now, end]) => `${value} between ${now} - interval '1 second' and ${end} + interval '1 second'`,
  );
  return `(${within.join(" or ")})`;
}

/** For columns that triggers and functions set to the time of the change, which the statement does not tell. */
function toNowText(value: string, clock: ClockExpressions): string {
  return `case when ${toNowCondition(value, clock)} then 'time of the change' end`;
}

/** As far from the time of the change as it was from the time of the preview, to ten seconds. */
function toDistanceText(value: string, clock: ClockExpressions): string {
  const seconds = `pg_catalog.round(extract(epoch from ${value} - ${clock[0]![0]}) / 10) * 10`;
  return `case when ${toNowCondition(value, clock)} then 'time of the change'
              when pg_catalog.isfinite(${value}) then pg_catalog.concat('time of the change ', case when ${seconds} < 0 then '- ' else '+ ' end,
                pg_catalog.justify_hours(pg_catalog.make_interval(secs => pg_catalog.abs(${seconds})::float8))) end`;
}

function toDaysText(value: string): string {
  return `case when ${value} = current_date then 'date of the change'
              when pg_catalog.isfinite(${value}) then pg_catalog.concat('date of the change ', case when ${value} < current_date then '- ' else '+ ' end,
                pg_catalog.abs(${value} - current_date), ' days') end`;
}
