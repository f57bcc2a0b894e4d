import { type Capability, defineCapability, digest, type ExecutionContext, type Preview } from "@paraph/core";
import { z } from "zod";
import { type CalendarContext, type ConfiguredCalendar, requireCalendar } from "../context.ts";
import { readAttendees, toTimesOutput } from "../ical/details.ts";
import {
  changeOccurrence,
  continueSeriesFrom,
  endSeriesBefore,
  mapEvents,
  parseOccurrence,
  shiftSeries,
  withTimes,
} from "../ical/edit-series.ts";
import { type EventTimes, listSeriesStarts, parseEvent } from "../ical/event.ts";
import { createZone } from "../ical/event-zone.ts";
import { formatCalendarObject, type JComponent } from "../ical/jcal.ts";
import { ExpansionBudget } from "../ical/rule.ts";
import { withClientScheduling } from "../ical/scheduling.ts";
import { toCallMark, toNextVersion } from "../ical/write-event.ts";
import { dayMs } from "../time/zone.ts";
import { applyChange, describeTarget, type EventChange, planChange, probeChange } from "./change-event.ts";
import { type Conflicts, describeAttendees, findConflicts } from "./conflicts.ts";
import { describeEvent } from "./find.ts";
import { describeScope, formatDetailTimes, formatWhen, quoteTitle, readDetails } from "./headline.ts";
import {
  calendarInput,
  eventInput,
  localTimeInput,
  occurrenceInput,
  resolveTimes,
  timeFault,
  timesOutput,
  toJson,
  zoneInput,
} from "./inputs.ts";
import {
  type EventBasis,
  type EventTarget,
  findTarget,
  loadEvent,
  readEvent,
  requireBasis,
  requireOrganizer,
} from "./load-event.ts";

const moveInput = z.strictObject({
  calendar: calendarInput,
  event: eventInput,
  ...occurrenceInput,
  start: localTimeInput.describe("the new start: a local time in `timeZone`, or a day for a whole-day event"),
  end: localTimeInput.optional().describe("the new end, or the last day (default: the duration stays)"),
  timeZone: zoneInput.optional().describe("the zone of `start` and `end` (default: that of the event)"),
});

type MoveInput = z.output<typeof moveInput>;

export const changedOutput = {
  version: z.string().optional().describe("the new version of the event; absent if there is none"),
  created: z.string().optional().describe("the id of the event that continues the series"),
  previous: z
    .string()
    .optional()
    .describe("the event before, for the undo; absent if it is large or unknown"),
};

/** Moves an event, one occurrence, or the rest of a series to another time. */
export function createMoveCapability(calendarContext: CalendarContext): Capability {
  const { name, config } = calendarContext;
  return defineCapability({
    name: `${name}.move`,
    version: 1,
    summary: "Move an event to another time",
    effect: "write",
    idempotency: "probe",
    timeout: config.timeout,
    input: moveInput,
    output: z.object({ event: z.string(), ...timesOutput, ...changedOutput }),
    locks: ({ calendar }) => [`${name}:${calendar}`],
    describedObject: describeEvent(calendarContext),
    news: ({ start, timeZone }, { label }) => `Moved to ${formatWhen(start, timeZone)}: ${label}`,
    headline: ({ start, timeZone, scope }, preview) => {
      const { title, after } = readDetails(preview);
      const to = formatDetailTimes(after) || formatWhen(start, timeZone);
      return `Move ${typeof title === "string" ? quoteTitle(title) : "an event"} to ${to}${describeScope(scope)}`;
    },
    preview: (input, context) => previewMove(calendarContext, input, context),
    async apply(input, context) {
      const plan = await planMove(calendarContext, input, context);
      requireBasis(context.basis, plan.basis);
      const { calendar, target, times } = plan;
      const change = planChange(() => toMoved(target, times, toCallMark(context.key), Date.now()));
      const changed = await applyChange(calendarContext, calendar, target.event, change, context);
      return { event: input.event, ...toTimesOutput(times), ...changed };
    },
    async probe(input, context) {
      const calendar = requireCalendar(calendarContext, input.calendar, "write");
      return probeChange(calendarContext, calendar, input.event, context, (found) => {
        if (!found) return undefined;
        const zone = input.timeZone;
        const event = readEvent(found, calendar);
        const inZone = zone === undefined ? event.times.zone : createZone(zone);
        const times = resolveTimes(input, inZone, {
          timed: event.times.end - event.times.start,
          days: event.times.end - event.times.start,
        });
        return {
          event: input.event,
          ...toTimesOutput(toEventZone(times, event.times)),
          version: found.etag,
        };
      });
    },
    undo: ({ calendar, event }, { previous, version, created }) =>
      previous === undefined
        ? undefined
        : {
            capability: `${name}.restore`,
            input: toJson({ calendar, event, data: previous, version: version ?? null, remove: created }),
          },
  });
}

interface MovePlan {
  readonly calendar: ConfiguredCalendar;
  readonly target: EventTarget;
  readonly times: EventTimes;
  readonly conflicts: Conflicts;
  readonly basis: EventBasis;
}

async function planMove(
  calendarContext: CalendarContext,
  input: MoveInput,
  context: ExecutionContext,
): Promise<MovePlan> {
  const calendar = requireCalendar(calendarContext, input.calendar, "write");
  const event = await loadEvent(calendarContext, calendar, input.event, context);
  const target = findTarget(event, input);
  requireOrganizer(target, calendar);
  const { times: before, component } = target.occurrence;
  const zone = input.timeZone === undefined ? before.zone : createZone(input.timeZone);
  const duration = before.end - before.start;
  const given = resolveTimes(input, zone, { timed: duration, days: duration });
  if (given.isDate !== before.isDate)
    throw timeFault(
      before.isDate
        ? "The event takes whole days. Send a day such as `2026-11-20`."
        : "The event has a time. Send a time such as `2026-11-20T15:00`.",
    );
  const times = toEventZone(given, before);
  const people = readAttendees(component).map(({ email }) => email);
  const conflicts = await findConflicts(
    calendarContext,
    calendar,
    { all: listMovedTimes(target, times), people, ownUids: [event.uid, toCallMark(context.key)] },
    context,
  );
  const facts = digest(toJson({ times: toTimesOutput(times), conflicts }));
  return { calendar, target, times, conflicts, basis: { etag: event.etag, facts } };
}

const maxCompared = 100;

/** Returns the new times of the occurrences that the call moves, of at most a year. */
function listMovedTimes({ event, occurrence, scope }: EventTarget, times: EventTimes): EventTimes[] {
  const original = occurrence.times.start;
  if (!event.isSeries || scope === "this") return [times];
  const window = { from: original, to: original + 366 * dayMs };
  const moved = listSeriesStarts(event, window, new ExpansionBudget()).slice(0, maxCompared);
  const [shift, duration] = [times.start - original, times.end - times.start];
  return moved.map((start) => ({ ...times, start: start + shift, end: start + shift + duration }));
}

/** Converts times to the zone that the event names, so that a series stays in one zone. */
function toEventZone(times: EventTimes, { zone }: EventTimes): EventTimes {
  if (times.isDate || times.zone === zone) return { ...times, zone };
  return {
    ...times,
    zone,
    start: zone.toLocal(times.zone.toUtc(times.start)),
    end: zone.toLocal(times.zone.toUtc(times.end)),
  };
}

async function previewMove(
  calendarContext: CalendarContext,
  input: MoveInput,
  context: ExecutionContext,
): Promise<Preview> {
  const { calendar, target, times, conflicts, basis } = await planMove(calendarContext, input, context);
  const { title, repeats, scope, occurrence } = describeTarget(target);
  // A change that the rule does not allow should fail here, and not after an approval.
  planChange(() => toMoved(target, times, "", 0));
  const asked = describeAttendees(calendarContext, target.occurrence.component);
  const details = toJson({
    ...{ title, repeats, scope, occurrence },
    before: toTimesOutput(target.occurrence.times),
    after: toTimesOutput(times),
    ...(asked.length > 0 && {
      attendees: asked,
      answers: "Attendees have to answer again. This call sends no mails to them.",
    }),
    ...(scope === "all" &&
      target.event.changed.length > 0 && { keptChangedOccurrences: target.event.changed.length }),
    ...conflicts,
  });
  return {
    changes: [{ kind: "update", target: `calendar ${calendar.name}: ${input.event}`, details }],
    basis: { ...basis },
  };
}

/** Returns the new version of the event, and the new series if the call splits one. */
function toMoved(
  { event, occurrence, scope }: EventTarget,
  times: EventTimes,
  mark: string,
  now: number,
): EventChange {
  const renew = (component: JComponent) =>
    toNextVersion(withClientScheduling(component, { asksAgain: true }), now, mark);
  if (!event.isSeries) return { next: mapEvents(event.calendar, (each) => renew(withTimes(each, times))) };
  const original =
    occurrence.occurrence === undefined ? event.times.start : parseOccurrence(occurrence.occurrence);
  if (scope === "this")
    return { next: changeOccurrence(event, original, (each) => renew(withTimes(each, times))) };
  const [shift, duration] = [times.start - original, times.end - times.start];
  const earlier = scope === "following" ? endSeriesBefore(event, original) : undefined;
  if (!earlier) return { next: mapEvents(shiftSeries(event, shift, duration), renew) };
  const id = `${mark}.ics`;
  const data = formatCalendarObject(continueSeriesFrom(event, original, mark || "new"));
  const continued = parseEvent({ id, etag: "", data }, event.times.zone.name);
  return {
    next: mapEvents(earlier, (each) =>
      toNextVersion(withClientScheduling(each, { asksAgain: false }), now, mark),
    ),
    created: { id, object: mapEvents(shiftSeries(continued, shift, duration), renew) },
  };
}
