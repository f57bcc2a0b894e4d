import { type Capability, defineCapability } from "@paraph/core";
import { z } from "zod";
import { type CalendarContext, requireCalendar } from "../context.ts";
import { endSeriesBefore, mapEvents, parseOccurrence, removeOccurrence } from "../ical/edit-series.ts";
import { withClientScheduling } from "../ical/scheduling.ts";
import { toCallMark, toNextVersion } from "../ical/write-event.ts";
import { applyChange, describeTarget, type EventChange, planChange, probeChange } from "./change-event.ts";
import { describeAttendees } from "./conflicts.ts";
import { describeEvent } from "./find.ts";
import { describeScope, formatDetailTimes, quoteTitle, readDetails } from "./headline.ts";
import { calendarInput, eventInput, occurrenceInput, toJson } from "./inputs.ts";
import { type EventTarget, findTarget, loadEvent, requireBasis, requireOrganizer } from "./load-event.ts";
import { changedOutput } from "./move.ts";

/** Removes an event, one occurrence, or the rest of a series. */
export function createCancelCapability(calendarContext: CalendarContext): Capability {
  const { name, config } = calendarContext;
  return defineCapability({
    name: `${name}.cancel`,
    version: 1,
    summary: "Cancel an event",
    effect: "destroy",
    idempotency: "probe",
    timeout: config.timeout,
    input: z.strictObject({ calendar: calendarInput, event: eventInput, ...occurrenceInput }),
    output: z.object({ event: z.string(), ...changedOutput }),
    locks: ({ calendar }) => [`${name}:${calendar}`],
    describedObject: describeEvent(calendarContext),
    news: (_, { label }) => `Cancelled: ${label}`,
    headline: ({ scope }, preview) => {
      const details = readDetails(preview);
      if (typeof details.title !== "string") return `Cancel an event${describeScope(scope)}`;
      const series = details.repeats === true ? describeScope(scope) : "";
      return `Cancel ${quoteTitle(details.title)} on ${formatDetailTimes(details)}${series}`;
    },
    async preview(input, context) {
      const calendar = requireCalendar(calendarContext, input.calendar, "write");
      const event = await loadEvent(calendarContext, calendar, input.event, context);
      const target = findTarget(event, input);
      requireOrganizer(target, calendar);
      const { next } = planChange(() => toCancelled(target, "", 0));
      const attendees = describeAttendees(calendarContext, target.occurrence.component);
      const details = toJson({
        ...describeTarget(target),
        ...(attendees.length > 0 && {
          attendees,
          cancellations: "This call sends no mails to the attendees.",
        }),
      });
      return {
        changes: [
          { kind: next ? "update" : "delete", target: `calendar ${calendar.name}: ${input.event}`, details },
        ],
        basis: { etag: event.etag },
      };
    },
    async apply(input, context) {
      const calendar = requireCalendar(calendarContext, input.calendar, "write");
      const event = await loadEvent(calendarContext, calendar, input.event, context);
      requireBasis(context.basis, { etag: event.etag });
      const change = planChange(() =>
        toCancelled(findTarget(event, input), toCallMark(context.key), Date.now()),
      );
      return {
        event: input.event,
        ...(await applyChange(calendarContext, calendar, event, change, context)),
      };
    },
    async probe(input, context) {
      const calendar = requireCalendar(calendarContext, input.calendar, "write");
      return probeChange(calendarContext, calendar, input.event, context, (found) =>
        toJson({ event: input.event, version: found?.etag }),
      );
    },
    undo: ({ calendar, event }, { previous, version }) =>
      previous === undefined
        ? undefined
        : {
            capability: `${name}.restore`,
            input: { calendar, event, data: previous, version: version ?? null },
          },
  });
}

function toCancelled({ event, occurrence, scope }: EventTarget, mark: string, now: number): EventChange {
  if (!event.isSeries || scope === "all" || occurrence.occurrence === undefined) return { next: undefined };
  const original = parseOccurrence(occurrence.occurrence);
  const left = scope === "this" ? removeOccurrence(event, original) : endSeriesBefore(event, original);
  return {
    next:
      left &&
      mapEvents(left, (each) => toNextVersion(withClientScheduling(each, { asksAgain: false }), now, mark)),
  };
}
