import {
  type Capability,
  CapabilityError,
  defineCapability,
  digest,
  type ExecutionContext,
  type Json,
  type Preview,
} from "@paraph/core";
import { z } from "zod";
import { type CalendarContext, type ConfiguredCalendar, listCalendars, requireCalendar } from "../context.ts";
import { readResource, writeResource } from "../dav/dav-client.ts";
import { toTimesOutput } from "../ical/details.ts";
import type { EventTimes } from "../ical/event.ts";
import { createZone } from "../ical/event-zone.ts";
import { formatCalendarObject, type JValue } from "../ical/jcal.ts";
import { createCalendarObject, toCallMark } from "../ical/write-event.ts";
import { isSamePerson } from "../people.ts";
import { dayMs } from "../time/zone.ts";
import { type Conflicts, findConflicts, type MarkedPerson, markPeople } from "./conflicts.ts";
import { formatTarget, quoteTitle } from "./headline.ts";
import {
  calendarInput,
  emailInput,
  localTimeInput,
  resolveTimes,
  textInput,
  timesOutput,
  toJson,
  zoneInput,
} from "./inputs.ts";
import { readEvent } from "./load-event.ts";
import { describeRepeat, listFirstTimes, repeatInput, toRuleValue } from "./repeat.ts";

const scheduleInput = z.strictObject({
  calendar: calendarInput,
  title: textInput(300, "one").refine((title) => title !== "", "must not be empty"),
  start: localTimeInput.describe(
    "a local time in `timeZone`, such as `2026-11-20T15:00`, or a day for a whole-day event",
  ),
  end: localTimeInput
    .optional()
    .describe("a local time in `timeZone`, or the last day (default: 30 minutes, or one day)"),
  timeZone: zoneInput.optional().describe("default: the zone of the calendar"),
  location: textInput(500, "one").optional(),
  description: textInput(8_000, "many").optional(),
  attendees: z
    .array(
      z.strictObject({
        email: emailInput,
        name: textInput(100, "one")
          .refine((name) => !/["\\]/.test(name), "must have no quotation marks or backslashes")
          .optional(),
        optional: z.boolean().default(false),
      }),
    )
    .max(100)
    .refine(
      (people) => new Set(people.map(({ email }) => email.toLowerCase())).size === people.length,
      "name each attendee once",
    )
    .default([])
    .describe("the people to invite, without the calendar's own person"),
  repeat: repeatInput.optional(),
});

type ScheduleInput = z.output<typeof scheduleInput>;

/** Creates an event. Its id and its UID are derived from the call, so that no call creates two events. */
export function createScheduleCapability(calendarContext: CalendarContext): Capability {
  const { name, config } = calendarContext;
  return defineCapability({
    name: `${name}.schedule`,
    version: 1,
    summary: "Create an event in a calendar",
    effect: "write",
    idempotency: "probe",
    timeout: config.timeout,
    input: scheduleInput,
    output: z.object({ event: z.string(), uid: z.string(), ...timesOutput }),
    locks: ({ calendar, attendees }) => listScheduleLocks(calendarContext, calendar, attendees),
    headline: ({ title, start, timeZone, attendees, repeat }, preview) =>
      `Schedule ${quoteTitle(title)} ${formatTarget(preview, { start, timeZone })}${
        attendees.length > 0
          ? ` with ${attendees.length} ${attendees.length === 1 ? "person" : "people"}`
          : ""
      }${repeat ? `, ${describeRepeat(repeat)}` : ""}`,
    preview: (input, context) => previewSchedule(calendarContext, input, context),
    async apply(input, context) {
      const calendar = requireCalendar(calendarContext, input.calendar, "write");
      const mark = toCallMark(context.key);
      // An earlier attempt may have created the event. Its own event must not count as a conflict.
      const earlier =
        context.attempt > 1 ? await findScheduled(calendarContext, calendar, mark, context) : undefined;
      if (earlier) return earlier;
      const plan = await planSchedule(calendarContext, input, context);
      if (plan.basis !== context.basis) throw calendarsChangedFault();
      const object = createCalendarObject({
        ...{ uid: mark, mark, title: input.title, times: plan.times, rule: plan.rule },
        ...{ location: input.location, description: input.description },
        organizer:
          input.attendees.length > 0 && calendar.person !== undefined
            ? { email: calendar.person, name: calendar.displayName }
            : undefined,
        attendees: input.attendees,
        now: Date.now(),
      });
      const resource = { id: toEventId(mark), data: formatCalendarObject(object) };
      const written = await writeResource(calendarContext, calendar, resource, { kind: "absent" }, context);
      if (written.kind === "written") return { event: resource.id, uid: mark, ...toTimesOutput(plan.times) };
      const existing = await findScheduled(calendarContext, calendar, mark, context);
      if (existing) return existing;
      throw calendarsChangedFault();
    },
    async probe(input, context) {
      const calendar = requireCalendar(calendarContext, input.calendar, "write");
      const output = await findScheduled(calendarContext, calendar, toCallMark(context.key), context);
      return output ? { kind: "present", output } : { kind: "absent" };
    },
    undo: ({ calendar }, { event }) => ({
      capability: `${name}.cancel`,
      input: { calendar, event, scope: "all" },
    }),
  });
}

function toEventId(mark: string): string {
  return `${mark}.ics`;
}

/** Reads the event that an earlier attempt of the call created. */
async function findScheduled(
  calendarContext: CalendarContext,
  calendar: ConfiguredCalendar,
  mark: string,
  context: ExecutionContext,
): Promise<({ event: string; uid: string } & ReturnType<typeof toTimesOutput>) | undefined> {
  const resource = await readResource(calendarContext, calendar, toEventId(mark), context);
  if (!resource) return undefined;
  const { uid, id, times } = readEvent(resource, calendar);
  return uid === mark ? { event: id, uid, ...toTimesOutput(times) } : undefined;
}

/** Calls that could occupy the same person at the same time run one after the other. */
function listScheduleLocks(
  calendarContext: CalendarContext,
  calendar: string,
  attendees: ScheduleInput["attendees"],
): string[] {
  const others = listCalendars(calendarContext).filter(
    ({ person }) => person !== undefined && attendees.some(({ email }) => isSamePerson(email, person)),
  );
  return [calendar, ...others.map((each) => each.name)].map((each) => `${calendarContext.name}:${each}`);
}

interface SchedulePlan {
  readonly calendar: ConfiguredCalendar;
  readonly times: EventTimes;
  readonly rule: JValue | undefined;
  readonly people: readonly MarkedPerson[];
  readonly conflicts: Conflicts;
  readonly basis: Json;
}

async function planSchedule(
  calendarContext: CalendarContext,
  input: ScheduleInput,
  context: ExecutionContext,
): Promise<SchedulePlan> {
  const calendar = requireCalendar(calendarContext, input.calendar, "write");
  if (input.attendees.length > 0 && calendar.person === undefined)
    throw new CapabilityError(
      "permanent",
      "person-missing",
      `An event with attendees needs an organizer. Set \`person\` of the calendar \`${calendar.name}\` to a mail address.`,
    );
  const zone = createZone(input.timeZone ?? calendar.timeZone);
  const times = resolveTimes(input, zone, { timed: 30 * 60_000, days: dayMs });
  const rule = input.repeat && toRuleValue(input.repeat, times);
  const people = await markPeople(
    calendarContext,
    calendar,
    input.attendees,
    times.zone.toUtc(times.start),
    context,
  );
  const conflicts = await findConflicts(
    calendarContext,
    calendar,
    {
      all: listFirstTimes(rule, times),
      people: people.map(({ email }) => email),
      ownUids: [toCallMark(context.key)],
    },
    context,
  );
  const basis = digest(toJson({ times: toTimesOutput(times), people, conflicts }));
  return { calendar, times, rule, people, conflicts, basis };
}

async function previewSchedule(
  calendarContext: CalendarContext,
  input: ScheduleInput,
  context: ExecutionContext,
): Promise<Preview> {
  const { calendar, times, people, conflicts, basis } = await planSchedule(calendarContext, input, context);
  const details = toJson({
    title: input.title,
    ...toTimesOutput(times),
    ...(times.isDate && { allDay: true }),
    ...(input.repeat && { repeats: describeRepeat(input.repeat) }),
    location: input.location || undefined,
    description: input.description || undefined,
    ...(people.length > 0 && {
      organizer: calendar.person,
      attendees: people,
      invitations: "This call sends no invitations. Send them with a mail capability.",
    }),
    ...conflicts,
  });
  return { changes: [{ kind: "create", target: `calendar ${calendar.name}`, details }], basis };
}

function calendarsChangedFault(): CapabilityError {
  return new CapabilityError(
    "permanent",
    "basis-changed",
    "The calendars changed since the preview. Preview the call again.",
  );
}
