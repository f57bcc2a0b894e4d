import { type Capability, defineCapability } from "@paraph/core";
import { z } from "zod";
import { weekdays } from "../config.ts";
import { type CalendarContext, type ConfiguredCalendar, listCalendars, requireCalendar } from "../context.ts";
import { toWeekday } from "../ical/rule.ts";
import { isSamePerson } from "../people.ts";
import { formatLocalIso, formatUtc, parseLocal } from "../time/format.ts";
import { dayMs, toLocal, toUtc } from "../time/zone.ts";
import { intersectSpans, mergeSpans, readRange, type Span, subtractSpans, toBusySpans } from "./busy.ts";
import { localTimeInput, timeFault, zoneInput } from "./inputs.ts";

const span = z.object({
  start: z.string().describe("local time in `timeZone`"),
  end: z.string().describe("local time in `timeZone`"),
  startUtc: z.string(),
  endUtc: z.string(),
});

const maxRangeDays = 62;

/** Finds times at which several people are free. It tells when they are busy, but not why. */
export function createAvailabilityCapability(calendarContext: CalendarContext): Capability {
  const { name, config } = calendarContext;
  return defineCapability({
    name: `${name}.availability`,
    version: 1,
    summary: "Find times at which several people are free",
    effect: "read",
    idempotency: "natural",
    timeout: config.timeout,
    input: z.strictObject({
      calendars: z
        .array(z.string().max(254))
        .min(1)
        .max(20)
        .refine((names) => new Set(names).size === names.length, "name each calendar once")
        .describe("the names of the calendars, or the mail addresses of their people"),
      from: localTimeInput.describe("the beginning, in `timeZone`"),
      to: localTimeInput.describe("the end, in `timeZone`; a day is included"),
      timeZone: zoneInput.optional().describe("the zone of the times (default: that of the first calendar)"),
      minutes: z.int().min(5).max(1_440).default(30).describe("the minimum length of a free time"),
      workingHours: z.boolean().default(true).describe("only within the working hours of all people"),
      max: z.int().min(1).max(100).default(20).describe("the maximum number of free times"),
    }),
    output: z.object({
      timeZone: z.string(),
      free: z.array(span).describe("times at which all are free"),
      cut: z.boolean().describe("whether there are more free times than `max`"),
      busy: z.array(z.object({ calendar: z.string(), spans: z.array(span) })),
      unreadable: z.int().describe("the number of events that Paraph does not understand, and left out"),
    }),
    headline: ({ calendars, from, to }) =>
      `Find free times of ${calendars.length} calendars, ${from} to ${to}`,
    async apply(input, context) {
      const calendars = input.calendars.map((each) => findCalendar(calendarContext, each));
      const zone = input.timeZone ?? calendars[0]!.timeZone;
      const range = resolveRange(input, zone, maxRangeDays);
      const format = ({ from, to }: Span) => ({
        start: formatLocalIso(toLocal(from, zone), false),
        end: formatLocalIso(toLocal(to, zone), false),
        startUtc: formatUtc(from),
        endUtc: formatUtc(to),
      });
      const busy: { calendar: string; spans: Span[] }[] = [];
      let [open, unreadable]: [readonly Span[], number] = [[range], 0];
      for (const calendar of calendars) {
        const content = await readRange(calendarContext, calendar, range, context);
        const spans = intersectSpans(toBusySpans(content.occurrences, calendar), [range]);
        busy.push({ calendar: calendar.name, spans });
        unreadable += content.unreadable.length;
        if (input.workingHours) open = intersectSpans(open, listWorkingHours(calendar, range));
        open = subtractSpans(open, spans);
      }
      const free = open.filter(({ from, to }) => to - from >= input.minutes * 60_000);
      return {
        timeZone: zone,
        free: free.slice(0, input.max).map(format),
        cut: free.length > input.max,
        busy: busy.map(({ calendar, spans }) => ({ calendar, spans: spans.map(format) })),
        unreadable,
      };
    },
  });
}

function findCalendar(calendarContext: CalendarContext, wanted: string): ConfiguredCalendar {
  const byPerson = listCalendars(calendarContext).find(
    ({ person }) => person !== undefined && isSamePerson(person, wanted),
  );
  return requireCalendar(calendarContext, byPerson?.name ?? wanted, "busy");
}

/** Returns the range that the input names, in UTC. A day as the end is included. */
export function resolveRange(
  { from, to }: { readonly from: string; readonly to: string },
  zone: string,
  maxDays: number,
): Span {
  const [first, last] = [parseLocal(from)!, parseLocal(to)!];
  const range = {
    from: toUtc(first.local, zone),
    to: toUtc(last.local + (last.isDate ? dayMs : 0), zone),
  };
  if (range.from >= range.to) throw timeFault("`from` must be before `to`.");
  if (range.to - range.from > maxDays * dayMs) throw timeFault(`Ask for at most ${maxDays} days.`);
  return range;
}

/** Returns the working hours of a calendar in the range, each day by the calendar's own zone. */
function listWorkingHours({ workingHours, timeZone }: ConfiguredCalendar, range: Span): Span[] {
  const spans: Span[] = [];
  const first = Math.floor(toLocal(range.from, timeZone) / dayMs);
  for (let day = first; toUtc(day * dayMs, timeZone) < range.to; day++) {
    // `toWeekday` counts from Sunday, and the configuration lists the days from Monday.
    if (!workingHours.days.includes(weekdays[(toWeekday(day) + 6) % 7]!)) continue;
    const [from, to] = [workingHours.from, workingHours.to].map((time) =>
      toUtc(day * dayMs + toTimeOfDay(time), timeZone),
    ) as [number, number];
    spans.push({ from, to });
  }
  return intersectSpans(mergeSpans(spans), [range]);
}

function toTimeOfDay(time: string): number {
  const [hours, minutes] = time.split(":").map(Number) as [number, number];
  return (hours * 60 + minutes) * 60_000;
}
