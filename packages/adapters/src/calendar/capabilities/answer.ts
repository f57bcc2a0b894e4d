import { type Capability, CapabilityError, defineCapability } from "@paraph/core";
import { z } from "zod";
import { type CalendarContext, type ConfiguredCalendar, requireCalendar } from "../context.ts";
import { type Answer, readAttendees, readOrganizer } from "../ical/details.ts";
import { changeOccurrence, mapEvents, parseOccurrence } from "../ical/edit-series.ts";
import { type JComponent, withProperties } from "../ical/jcal.ts";
import { withAnswer } from "../ical/scheduling.ts";
import { callProperty, formatUtcTime, toCallMark } from "../ical/write-event.ts";
import { isSamePerson } from "../people.ts";
import { applyChange, describeTarget, probeChange } from "./change-event.ts";
import { describeEvent } from "./find.ts";
import { describeScope, formatDetailTimes, quoteTitle, readDetails } from "./headline.ts";
import { calendarInput, eventInput, occurrenceInput, toJson } from "./inputs.ts";
import { type EventTarget, findTarget, loadEvent, requireBasis } from "./load-event.ts";
import { changedOutput } from "./move.ts";

const verbs = {
  accept: { partstat: "ACCEPTED", words: "Accept" },
  decline: { partstat: "DECLINED", words: "Decline" },
  tentative: { partstat: "TENTATIVE", words: "Tentatively accept" },
} as const;

/** Answers an invitation for the calendar's person. */
export function createAnswerCapability(calendarContext: CalendarContext): Capability {
  const { name, config } = calendarContext;
  return defineCapability({
    name: `${name}.answer`,
    version: 1,
    summary: "Answer an invitation",
    effect: "write",
    idempotency: "probe",
    timeout: config.timeout,
    input: z.strictObject({
      calendar: calendarInput,
      event: eventInput,
      occurrence: occurrenceInput.occurrence,
      scope: z.enum(["this", "all"]).optional().describe("for a recurring event: this occurrence, or all"),
      answer: z.enum(["accept", "decline", "tentative"]),
    }),
    output: z.object({ event: z.string(), ...changedOutput }),
    locks: ({ calendar }) => [`${name}:${calendar}`],
    describedObject: describeEvent(calendarContext),
    headline: ({ answer, scope }, preview) => {
      const details = readDetails(preview);
      if (typeof details.title !== "string") return `${verbs[answer].words} an invitation`;
      return `${verbs[answer].words} ${quoteTitle(details.title)} on ${formatDetailTimes(details)}${describeScope(scope)}`;
    },
    async preview(input, context) {
      const calendar = requireCalendar(calendarContext, input.calendar, "write");
      const event = await loadEvent(calendarContext, calendar, input.event, context);
      const target = findTarget(event, input);
      const before = requireInvitation(target, calendar);
      const details = toJson({
        ...describeTarget(target),
        organizer: readOrganizer(target.occurrence.component),
        person: calendar.person,
        answer: { before, after: verbs[input.answer].partstat.toLowerCase() },
        reply: "This call sends no mail to the organizer.",
      });
      return {
        changes: [{ kind: "update", target: `calendar ${calendar.name}: ${input.event}`, details }],
        basis: { etag: event.etag },
      };
    },
    async apply(input, context) {
      const calendar = requireCalendar(calendarContext, input.calendar, "write");
      const event = await loadEvent(calendarContext, calendar, input.event, context);
      requireBasis(context.basis, { etag: event.etag });
      const target = findTarget(event, input);
      requireInvitation(target, calendar);
      const next = toAnswered(target, calendar, verbs[input.answer].partstat, toCallMark(context.key));
      return {
        event: input.event,
        ...(await applyChange(calendarContext, calendar, event, { next }, context)),
      };
    },
    async probe(input, context) {
      const calendar = requireCalendar(calendarContext, input.calendar, "write");
      return probeChange(calendarContext, calendar, input.event, context, (found) =>
        found ? { event: input.event, version: found.etag } : undefined,
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

/** Returns the current answer of the calendar's person. Throws if they are not invited, or organize the event. */
function requireInvitation({ occurrence }: EventTarget, { person, name }: ConfiguredCalendar): Answer {
  const own =
    person === undefined
      ? undefined
      : readAttendees(occurrence.component).find(({ email }) => isSamePerson(email, person));
  const organizer = readOrganizer(occurrence.component);
  if (own && person !== undefined && (organizer === undefined || !isSamePerson(organizer, person)))
    return own.answer;
  throw new CapabilityError(
    "permanent",
    "not-invited",
    person === undefined
      ? `Set \`person\` of the calendar \`${name}\` to the mail address of the person who answers.`
      : "The event has no invitation for the calendar's person.",
  );
}

/** An attendee's answer does not make a new version of the event, so the sequence stays (RFC 5546). */
function toAnswered(
  { event, occurrence, scope }: EventTarget,
  { person }: ConfiguredCalendar,
  partstat: string,
  mark: string,
): JComponent {
  const answer = (component: JComponent) => {
    const answered = withAnswer(component, person!, partstat);
    return answered
      ? withProperties(answered, [
          ["dtstamp", {}, "date-time", formatUtcTime(Date.now())],
          [callProperty, {}, "unknown", mark],
        ])
      : component;
  };
  const isOnlyPart = scope === "this" && event.isSeries && occurrence.occurrence !== undefined;
  return isOnlyPart
    ? changeOccurrence(event, parseOccurrence(occurrence.occurrence), answer)
    : mapEvents(event.calendar, answer);
}
