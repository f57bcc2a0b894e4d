import { type Capability, defineCapability } from "@paraph/core";
import { z } from "zod";
import { type CalendarContext, type ConfiguredCalendar, requireCalendar } from "../context.ts";
import {
  answers,
  cleanText,
  readAttendees,
  readOrganizer,
  readTitle,
  toTimesOutput,
} from "../ical/details.ts";
import type { Occurrence } from "../ical/event.ts";
import { findProperty, formatCalendarObject, readText } from "../ical/jcal.ts";
import { isSamePerson } from "../people.ts";
import { resolveRange } from "./availability.ts";
import { readRange } from "./busy.ts";
import { calendarInput, eventInput, localTimeInput, timesOutput, zoneInput } from "./inputs.ts";
import { loadEvent } from "./load-event.ts";

const statuses = ["confirmed", "tentative", "cancelled"] as const;
const answerOutput = z.enum(Object.values(answers));

const summaryOutput = {
  event: z.string().describe("the id of the event"),
  occurrence: z.string().optional().describe("the name of the occurrence, if the event repeats"),
  title: z.string(),
  ...timesOutput,
  allDay: z.boolean(),
  location: z.string().optional(),
  status: z.enum(statuses),
  organizer: z.string().optional(),
  attendees: z.int(),
  answer: answerOutput.optional().describe("the answer of the calendar's person, if they are invited"),
};

const maxRangeDays = 366;
const maxData = 64 * 1024;
const maxDescription = 8_000;

/** Lists the events of one calendar in a range. */
export function createEventsCapability(calendarContext: CalendarContext): Capability {
  const { name, config } = calendarContext;
  return defineCapability({
    name: `${name}.events`,
    version: 1,
    summary: "List the events of a calendar",
    effect: "read",
    idempotency: "natural",
    timeout: config.timeout,
    input: z.strictObject({
      calendar: calendarInput,
      from: localTimeInput.describe("the beginning, in `timeZone`"),
      to: localTimeInput.describe("the end, in `timeZone`; a day is included"),
      timeZone: zoneInput.optional().describe("the zone of `from` and `to` (default: that of the calendar)"),
      max: z.int().min(1).max(500).default(100).describe("the maximum number of events"),
    }),
    output: z.object({
      events: z.array(z.object(summaryOutput)),
      cut: z.boolean().describe("whether there are more events than `max`"),
      unreadable: z.array(z.string()).describe("the ids of events that Paraph does not understand"),
    }),
    headline: ({ calendar, from, to }) => `List events of ${calendar}, ${from} to ${to}`,
    async apply(input, context) {
      const calendar = requireCalendar(calendarContext, input.calendar, "read");
      const range = resolveRange(input, input.timeZone ?? calendar.timeZone, maxRangeDays);
      const { occurrences, unreadable } = await readRange(calendarContext, calendar, range, context);
      return {
        events: occurrences.slice(0, input.max).map((each) => toSummary(each, calendar)),
        cut: occurrences.length > input.max,
        unreadable: unreadable.slice(0, 100),
      };
    },
  });
}

/** Reads one event as a whole. */
export function createEventCapability(calendarContext: CalendarContext): Capability {
  const { name, config } = calendarContext;
  return defineCapability({
    name: `${name}.event`,
    version: 1,
    summary: "Read an event",
    effect: "read",
    idempotency: "natural",
    timeout: config.timeout,
    input: z.strictObject({ calendar: calendarInput, event: eventInput }),
    output: z.object({
      ...summaryOutput,
      description: z.string(),
      people: z.array(z.object({ email: z.string(), name: z.string().optional(), answer: answerOutput })),
      repeats: z.boolean(),
      changedOccurrences: z.int(),
      data: z
        .string()
        .optional()
        .describe("the event as iCalendar, for the attachment of an invitation; absent if it is large"),
    }),
    headline: ({ calendar }) => `Read an event of ${calendar}`,
    async apply(input, context) {
      const calendar = requireCalendar(calendarContext, input.calendar, "read");
      const event = await loadEvent(calendarContext, calendar, input.event, context);
      const { main, times } = event;
      const whole = { event, component: main, times, occurrence: undefined };
      const data = formatCalendarObject(event.calendar);
      return {
        ...toSummary(whole, calendar),
        description: cleanText(readText(main, "description"), maxDescription),
        people: readAttendees(main).slice(0, 200),
        repeats: event.isSeries,
        changedOccurrences: event.changed.length,
        ...(data.length <= maxData && { data }),
      };
    },
  });
}

function toSummary(
  { event, component, times, occurrence }: Pick<Occurrence, "event" | "component" | "times" | "occurrence">,
  { person }: ConfiguredCalendar,
) {
  const attendees = readAttendees(component);
  const own = attendees.find(({ email }) => person !== undefined && isSamePerson(email, person));
  const location = cleanText(readText(component, "location"), 500);
  const status = String(findProperty(component, "status")?.[3] ?? "").toLowerCase();
  return {
    event: event.id,
    ...(occurrence !== undefined && { occurrence }),
    title: readTitle(component),
    ...toTimesOutput(times),
    allDay: times.isDate,
    ...(location && { location }),
    status: statuses.find((each) => each === status) ?? "confirmed",
    organizer: readOrganizer(component),
    attendees: attendees.length,
    ...(own && { answer: own.answer }),
  };
}
