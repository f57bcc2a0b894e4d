import { CapabilityError, type Json } from "@paraph/core";
import type { CalendarContext, ConfiguredCalendar, RequestContext } from "../context.ts";
import { type DavResource, readResource } from "../dav/dav-client.ts";
import { readOrganizer } from "../ical/details.ts";
import {
  type CalendarEvent,
  findOccurrence,
  type Occurrence,
  parseEvent,
  toOccurrence,
} from "../ical/event.ts";
import { UnreadableEvent } from "../ical/jcal.ts";
import { isSamePerson } from "../people.ts";

/** Reads an event. Throws a fault if it does not exist, or if Paraph does not understand it. */
export async function loadEvent(
  calendarContext: CalendarContext,
  calendar: ConfiguredCalendar,
  id: string,
  context: RequestContext,
): Promise<CalendarEvent> {
  const resource = await readResource(calendarContext, calendar, id, context);
  if (!resource) throw eventNotFoundFault();
  return readEvent(resource, calendar);
}

export function readEvent(resource: DavResource, calendar: ConfiguredCalendar): CalendarEvent {
  try {
    return parseEvent(resource, calendar.timeZone);
  } catch (error) {
    if (!(error instanceof UnreadableEvent)) throw error;
    throw new CapabilityError(
      "permanent",
      "event-unreadable",
      `Paraph does not understand the event: ${error.message}. Change it in a calendar program.`,
    );
  }
}

export type Scope = "this" | "following" | "all";

/** The target of a call: the event as a whole, or a part of a series. */
export interface EventTarget {
  readonly event: CalendarEvent;
  readonly scope: Scope;
  /** The occurrence that the call names, or the whole event. */
  readonly occurrence: Occurrence;
}

/** Finds the part of the event that the input names. For a recurring event, the input must say it. */
export function findTarget(
  event: CalendarEvent,
  {
    occurrence: name,
    scope,
  }: { readonly occurrence?: string | undefined; readonly scope?: Scope | undefined },
): EventTarget {
  if (!event.isSeries) {
    if (name !== undefined || (scope !== undefined && scope !== "all"))
      throw new CapabilityError(
        "permanent",
        "not-recurring",
        "The event does not repeat. Send the call without `occurrence` and `scope`.",
      );
    return { event, scope: "all", occurrence: toOccurrence(event, event.main, event.times, undefined) };
  }
  if (scope === undefined || (name === undefined && scope !== "all"))
    throw new CapabilityError(
      "permanent",
      "scope-missing",
      "The event repeats. Send the `scope` (this, following or all) and, but for all, the `occurrence`.",
    );
  const occurrence =
    name === undefined
      ? toOccurrence(event, event.main, event.times, undefined)
      : findOccurrence(event, name, scope === "this" ? "changed" : "original");
  if (!occurrence)
    throw new CapabilityError(
      "permanent",
      "occurrence-not-found",
      "The event has no such occurrence. Use the `occurrence` that `events` returns.",
    );
  if (scope !== "this" && event.rule === undefined && event.added.length === 0)
    throw new CapabilityError(
      "permanent",
      "series-missing",
      "The calendar contains only single occurrences of this event. Use the scope `this`.",
    );
  return { event, occurrence, scope };
}

/** Throws unless the calendar's person organizes the event. Only the organizer may move or cancel a meeting. */
export function requireOrganizer({ occurrence }: EventTarget, { person, name }: ConfiguredCalendar): void {
  const organizer = readOrganizer(occurrence.component);
  if (organizer === undefined || (person !== undefined && isSamePerson(organizer, person))) return;
  throw new CapabilityError(
    "permanent",
    "not-organizer",
    person === undefined
      ? `The event has an organizer. Set \`person\` of the calendar \`${name}\` to their mail address, if it is theirs.`
      : "Another person organizes this event. Use `answer` to decline it.",
  );
}

export function eventNotFoundFault(): CapabilityError {
  return new CapabilityError("permanent", "event-not-found", "There is no such event in the calendar.");
}

/** [P5] The state that a change of an event depends on. */
export interface EventBasis {
  readonly etag: string;
  readonly facts?: string;
}

/** Reads the approved basis. Throws unless the event still is as the preview showed it. */
export function requireBasis(basis: Json | undefined, now: EventBasis): void {
  const approved = basis as EventBasis | undefined;
  if (approved?.etag !== now.etag || approved.facts !== now.facts) throw eventChangedFault();
}

export function eventChangedFault(): CapabilityError {
  return new CapabilityError(
    "permanent",
    "basis-changed",
    "The event, or the calendars that it touches, changed since the preview. Preview the call again.",
  );
}
