import { type Capability, defineCapability, type FoundObject, foundObjects } from "@paraph/core";
import { z } from "zod";
import {
  type CalendarContext,
  type ConfiguredCalendar,
  listCalendars,
  type RequestContext,
  requireCalendar,
} from "../context.ts";
import { isCancelled, readAttendees, readOrganizer, readTitle } from "../ical/details.ts";
import type { Occurrence } from "../ical/event.ts";
import type { JComponent } from "../ical/jcal.ts";
import { formatLocal, formatLocalIso, parseLocal } from "../time/format.ts";
import { dayMs, toLocal, toUtc } from "../time/zone.ts";
import { readRange, type Span } from "./busy.ts";
import { quoteTitle } from "./headline.ts";
import { calendarInput, zoneInput } from "./inputs.ts";

/** The days from today in which the capability looks for an event without a day. */
const defaultDays = 31;
const maxObjects = 20;

const wordList = z.array(z.string().max(200)).max(20);

const findInput = z.strictObject({
  calendar: calendarInput
    .optional()
    .describe("the name of the calendar (default: all that agents may change)"),
  words: wordList.optional().describe("words that the title contains"),
  day: z.iso.date().optional().describe(`the day (default: the next ${defaultDays} days)`),
  with: wordList.optional().describe("names of the organizer or of attendees, or their addresses"),
  timeZone: zoneInput.optional().describe("the zone of `day` (default: that of each calendar)"),
});

type FindInput = z.output<typeof findInput>;

/** Names the field with the event of a call, and the capability that finds the event from words. */
export function describeEvent({ name }: Pick<CalendarContext, "name">) {
  return { field: "event", finder: `${name}.find` };
}

/** Finds the events that fit a description, such as `tomorrow's review with Ana`. */
export function createFindCapability(calendarContext: CalendarContext): Capability {
  const { name, config } = calendarContext;
  return defineCapability({
    name: `${name}.find`,
    version: 1,
    summary: "Find events by their title, day and people",
    effect: "read",
    idempotency: "natural",
    timeout: config.timeout,
    input: findInput,
    output: foundObjects,
    headline: () => "Find events by a description",
    async apply(input, context) {
      const calendars =
        input.calendar === undefined
          ? listCalendars(calendarContext).filter(({ access }) => access === "write")
          : [requireCalendar(calendarContext, input.calendar, "read")];
      const found: FoundObject[] = [];
      for (const calendar of calendars)
        found.push(...(await findEvents(calendarContext, calendar, input, context)));
      return { objects: found.slice(0, maxObjects), cut: found.length > maxObjects };
    },
  });
}

async function findEvents(
  calendarContext: CalendarContext,
  calendar: ConfiguredCalendar,
  { words = [], with: people = [], day, timeZone }: FindInput,
  context: RequestContext,
): Promise<FoundObject[]> {
  const zone = timeZone ?? calendar.timeZone;
  const range = toRange(day, zone);
  const { occurrences } = await readRange(calendarContext, calendar, range, context);
  return occurrences
    .filter(({ startUtc }) => startUtc >= range.from)
    .filter(
      ({ component }) =>
        !isCancelled(component) &&
        words.every((word) => hasWords(readTitle(component), word)) &&
        people.every((person) => involves(component, person)),
    )
    .map((occurrence) => toFoundObject(occurrence, calendar, zone));
}

function toRange(day: string | undefined, zone: string): Span {
  const today = Math.floor(toLocal(Date.now(), zone) / dayMs) * dayMs;
  const first = day === undefined ? today : parseLocal(day)!.local;
  const days = day === undefined ? defaultDays : 1;
  return { from: toUtc(first, zone), to: toUtc(first + days * dayMs, zone) };
}

function toFoundObject(
  { event, component, times, occurrence, startUtc }: Occurrence,
  calendar: ConfiguredCalendar,
  zone: string,
): FoundObject {
  const start = toLocal(startUtc, zone);
  const when = times.isDate ? formatLocal(times.start, true) : `${formatLocal(start, false)} ${zone}`;
  return {
    label: `${quoteTitle(readTitle(component))}, ${when}, calendar ${calendar.name}`,
    day: formatLocalIso(times.isDate ? times.start : start, true),
    input: {
      calendar: calendar.name,
      event: event.id,
      ...(occurrence !== undefined && { occurrence, scope: "this" }),
    },
  };
}

/** Returns whether a person of this name or mail address organizes or attends the event. */
function involves(component: JComponent, person: string): boolean {
  const attendees = readAttendees(component);
  const names = attendees.flatMap(({ name }) => name ?? []);
  const emails = [readOrganizer(component) ?? [], ...attendees.map(({ email }) => email)].flat();
  if (person.includes("@")) return emails.some((email) => email.toLowerCase() === person.toLowerCase());
  return [...names, ...emails.map((email) => email.slice(0, email.lastIndexOf("@")))].some((text) =>
    hasWords(text, person),
  );
}

/** Returns whether a text contains all words of another one, without regard to case and accents. */
function hasWords(text: string, wanted: string): boolean {
  const words = new Set(splitWords(text));
  const parts = splitWords(wanted);
  return parts.length > 0 && parts.every((part) => words.has(part));
}

function splitWords(text: string): readonly string[] {
  return text
    .normalize("NFKD")
    .replaceAll(/\p{M}/gu, "")
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== "");
}
