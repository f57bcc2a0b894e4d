import { createHash } from "node:crypto";
import { createVtimezone } from "../time/vtimezone.ts";
import type { EventTimes } from "./event.ts";
import {
  findProperty,
  type JComponent,
  type JProperty,
  type JValue,
  listComponents,
  parseCalendarObject,
  readText,
  UnreadableEvent,
  withProperties,
} from "./jcal.ts";

/**
 * Identifies the call that wrote an event last. A probe finds out by it whether an attempt had its effect. It is a
 * digest, so the calendar does not show ids of calls.
 */
export const callProperty = "x-paraph-call";

/** Returns the digest of a call's key, from which the ids of the events that the call creates are derived. */
export function toCallMark(key: string): string {
  return createHash("sha256").update(`paraph calendar ${key}`).digest("hex").slice(0, 32);
}

/** A new event, with its texts in canonical form. */
export interface NewEvent {
  readonly uid: string;
  readonly title: string;
  readonly times: EventTimes;
  readonly location?: string | undefined;
  readonly description?: string | undefined;
  readonly rule?: JValue | undefined;
  readonly organizer?: Person | undefined;
  readonly attendees: readonly (Person & { readonly optional: boolean })[];
  readonly now: number;
  readonly mark: string;
}

export interface Person {
  readonly email: string;
  readonly name?: string | undefined;
}

/** Creates the calendar object of a new event. */
export function createCalendarObject(event: NewEvent): JComponent {
  const { zone, start, isDate } = event.times;
  const hasZone = !isDate && !zone.floating && zone.name !== "UTC";
  const stamp = formatUtcTime(event.now);
  const properties: JProperty[] = [
    ["uid", {}, "text", event.uid],
    ["dtstamp", {}, "date-time", stamp],
    ["created", {}, "date-time", stamp],
    ["last-modified", {}, "date-time", stamp],
    ["sequence", {}, "integer", 0],
    ["status", {}, "text", "CONFIRMED"],
    ["summary", {}, "text", event.title],
    ...toTimeProperties(event.times),
    ...(event.rule ? [["rrule", {}, "recur", event.rule] as JProperty] : []),
    ...(event.location ? [["location", {}, "text", event.location] as JProperty] : []),
    ...(event.description ? [["description", {}, "text", event.description] as JProperty] : []),
    ...(event.organizer ? [toPersonProperty("organizer", event.organizer, {})] : []),
    ...event.attendees.map((each) => toAttendee(each, each.optional)),
    [callProperty, {}, "unknown", event.mark],
  ];
  return [
    "vcalendar",
    [
      ["version", {}, "text", "2.0"],
      ["prodid", {}, "text", "-//Paraph//Calendar//EN"],
    ],
    [...(hasZone ? [createVtimezone(zone.name, zone.toUtc(start))] : []), ["vevent", properties, []]],
  ];
}

/**
 * `SCHEDULE-AGENT=CLIENT` keeps the server from sending invitations (RFC 6638). A mail capability sends them, once.
 */
function toAttendee(person: Person, optional: boolean): JProperty {
  return toPersonProperty("attendee", person, {
    role: optional ? "OPT-PARTICIPANT" : "REQ-PARTICIPANT",
    partstat: "NEEDS-ACTION",
    rsvp: "TRUE",
    "schedule-agent": "CLIENT",
  });
}

function toPersonProperty(
  name: string,
  { email, name: label }: Person,
  parameters: Record<string, string>,
): JProperty {
  return [
    name,
    { ...(label !== undefined && { cn: label }), ...parameters },
    "cal-address",
    `mailto:${email}`,
  ];
}

/** Returns the properties of the start and the end. Times keep the zone that the event names. */
export function toTimeProperties(times: EventTimes, tzid: string = times.zone.name): JProperty[] {
  return [
    toTimeProperty("dtstart", times.start, times, tzid),
    toTimeProperty("dtend", times.end, times, tzid),
  ];
}

export function toTimeProperty(
  name: string,
  local: number,
  { isDate, zone }: Pick<EventTimes, "isDate" | "zone">,
  tzid: string = zone.name,
): JProperty {
  const text = new Date(local).toISOString();
  if (isDate) return [name, {}, "date", text.slice(0, 10)];
  if (zone.name === "UTC" && !zone.floating) return [name, {}, "date-time", `${text.slice(0, 19)}Z`];
  return [name, zone.floating ? {} : { tzid }, "date-time", text.slice(0, 19)];
}

/**
 * Returns the component as a new version of itself, marked with the call. A higher sequence tells calendar programs
 * which version is newer.
 */
export function toNextVersion(component: JComponent, now: number, mark: string): JComponent {
  const sequence = Number(findProperty(component, "sequence")?.[3] ?? 0);
  const stamp = formatUtcTime(now);
  return withProperties(component, [
    ["dtstamp", {}, "date-time", stamp],
    ["last-modified", {}, "date-time", stamp],
    ["sequence", {}, "integer", Number.isSafeInteger(sequence) ? sequence + 1 : 1],
    [callProperty, {}, "unknown", mark],
  ]);
}

/** Whether the call with this mark wrote any part of the calendar object last. */
export function isWrittenBy(data: string, mark: string): boolean {
  try {
    const events = listComponents(parseCalendarObject(data), "vevent");
    return events.some((each) => readText(each, callProperty) === mark);
  } catch (error) {
    if (error instanceof UnreadableEvent) return false;
    throw error;
  }
}

export function formatUtcTime(utc: number): string {
  return `${new Date(utc).toISOString().slice(0, 19)}Z`;
}
