import { z } from "zod";
import { weekdays } from "../config.ts";
import type { EventTimes } from "../ical/event.ts";
import type { JValue } from "../ical/jcal.ts";
import { ExpansionBudget, expandRule, readRule, toWeekday } from "../ical/rule.ts";
import { formatUtcTime } from "../ical/write-event.ts";
import { parseLocal } from "../time/format.ts";
import { dayMs } from "../time/zone.ts";
import { localTimeInput, timeFault } from "./inputs.ts";

export const repeatInput = z
  .strictObject({
    every: z.enum(["day", "week", "month", "year"]),
    interval: z.int().min(1).max(99).default(1).describe("2 for every second week"),
    on: z
      .array(z.enum(weekdays))
      .min(1)
      .max(7)
      .optional()
      .describe("for `week`: the days (default: the day of `start`)"),
    count: z.int().min(1).max(730).optional().describe("the number of occurrences"),
    until: localTimeInput
      .refine((text) => parseLocal(text)?.isDate === true, "must be a day")
      .optional()
      .describe("the last day"),
  })
  .refine(({ every, on }) => every === "week" || on === undefined, "`on` is only for `week`")
  .refine(
    ({ count, until }) => count === undefined || until === undefined,
    "set `count` or `until`, not both",
  );

export type Repeat = z.output<typeof repeatInput>;

const frequencies = { day: "DAILY", week: "WEEKLY", month: "MONTHLY", year: "YEARLY" } as const;

/** Returns the recurrence rule as ical.js writes it. */
export function toRuleValue({ every, interval, on, count, until }: Repeat, times: EventTimes): JValue {
  if (on && !on.includes(weekdays[(toWeekday(Math.floor(times.start / dayMs)) + 6) % 7]!))
    throw timeFault("The day of `start` must be one of the days in `on`.");
  const last = until === undefined ? undefined : parseLocal(until)!.local;
  if (last !== undefined && last + dayMs <= times.start) throw timeFault("`until` is before `start`.");
  return {
    freq: frequencies[every],
    ...(interval > 1 && { interval }),
    ...(count !== undefined && { count }),
    // In an event with times, the end of the rule is in UTC (RFC 5545, 3.3.10).
    ...(last !== undefined && {
      until: times.isDate
        ? new Date(last).toISOString().slice(0, 10)
        : formatUtcTime(times.zone.toUtc(last + dayMs - 1000)),
    }),
    ...(on && { byday: weekdays.filter((day) => on.includes(day)).map((day) => day.toUpperCase()) }),
  };
}

/** Says a rule in words, such as `every 2 weeks on mo, we, 10 times`. */
export function describeRepeat({ every, interval, on, count, until }: Repeat): string {
  const unit = interval === 1 ? every : `${interval} ${every}s`;
  const days = on ? ` on ${weekdays.filter((day) => on.includes(day)).join(", ")}` : "";
  const end =
    count !== undefined ? `, ${count} times` : until !== undefined ? `, until ${until}` : ", without an end";
  return `every ${unit}${days}${end}`;
}

const maxCompared = 100;

/** Returns the times of the first occurrences, which the preview compares with other events. */
export function listFirstTimes(rule: JValue | undefined, times: EventTimes): EventTimes[] {
  if (rule === undefined) return [times];
  const parsed = readRule(rule, (text) => times.zone.toLocal(Date.parse(text)));
  const window = { from: times.start, to: times.start + 366 * dayMs };
  return expandRule(parsed, times.start, window, new ExpansionBudget())
    .slice(0, maxCompared)
    .map((start) => ({ ...times, start, end: start + times.end - times.start }));
}
