import type { VaryingKind } from "./assignments.ts";

/**
 * Returns SQL for the text that replaces a new value if the value differs at every run. Approvers see this text, and
 * Paraph compares it instead of the value. The SQL yields null for a row whose value needs no replacement. The function
 * returns undefined if no row needs a replacement.
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

/** Pairs of SQL expressions of the same type: the time of the transaction and the time at the end of the statement. */
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

/**
 * Returns the condition that a value is the current time. The condition has a tolerance of one second, because a column
 * may hold whole seconds and the clock advances while a statement runs.
 */
function toNowCondition(value: string, clock: ClockExpressions): string {
  const within = clock.map(
    ([now, end]) => `${value} between ${now} - interval '1 second' and ${end} + interval '1 second'`,
  );
  return `(${within.join(" or ")})`;
}

/**
 * Returns the text for a value that equals the time of the change. Triggers and functions may set such a value even if
 * the statement does not show it.
 */
function toNowText(value: string, clock: ClockExpressions): string {
  return `case when ${toNowCondition(value, clock)} then 'time of the change' end`;
}

/**
 * Returns the text for a value's distance from the time of the change. The distance is rounded to ten seconds, so that
 * preview and apply agree.
 */
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
