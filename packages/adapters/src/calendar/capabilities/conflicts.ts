import { CapabilityError, type JsonObject } from "@paraph/core";
import {
  type CalendarContext,
  type ConfiguredCalendar,
  listCalendars,
  type RequestContext,
} from "../context.ts";
import { isBusy, readAttendees, readOrganizer, readTitle } from "../ical/details.ts";
import type { EventTimes } from "../ical/event.ts";
import type { JComponent } from "../ical/jcal.ts";
import { ExpansionBudget } from "../ical/rule.ts";
import { isSamePerson } from "../people.ts";
import { formatLocalIso, formatUtc } from "../time/format.ts";
import { dayMs } from "../time/zone.ts";
import { readRange, type Span } from "./busy.ts";

/** The other events at the time of a meeting, for approvers. */
export interface Conflicts {
  readonly conflicts: readonly Conflict[];
  /** The number of further conflicts. */
  readonly furtherConflicts?: number;
  /** The calendars that Paraph compared. */
  readonly calendarsChecked: readonly string[];
  /** The attendees whose calendars Paraph cannot read. */
  readonly notChecked: readonly string[];
  /** The number of events that Paraph did not understand. */
  readonly unreadableEvents?: number;
}

interface Conflict {
  readonly calendar: string;
  /** Missing if agents may learn only that the person is busy. */
  readonly title?: string;
  readonly start: string;
  readonly end: string;
  readonly startUtc: string;
}

const maxListed = 20;
const maxSpanDays = 366;

/**
 * Finds the events that overlap the given times, in the calendar itself and in those of the attendees. Leaves out the
 * events with `ownUids`, which every attendee may have in their calendar.
 */
export async function findConflicts(
  calendarContext: CalendarContext,
  calendar: ConfiguredCalendar,
  {
    all,
    people,
    ownUids,
  }: {
    readonly all: readonly EventTimes[];
    readonly people: readonly string[];
    readonly ownUids: readonly string[];
  },
  context: RequestContext,
): Promise<Conflicts> {
  const zone = all[0]!.zone;
  const spans = all.map((times) => ({ from: zone.toUtc(times.start), to: zone.toUtc(times.end) }));
  const range: Span = {
    from: spans[0]!.from,
    to: Math.min(Math.max(...spans.map(({ to }) => to)), spans[0]!.from + maxSpanDays * dayMs),
  };
  const others = listCalendars(calendarContext).filter(
    ({ name, person }) =>
      name !== calendar.name && person !== undefined && people.some((each) => isSamePerson(each, person)),
  );
  const budget = new ExpansionBudget();
  const conflicts: Conflict[] = [];
  let unreadableEvents = 0;
  for (const checked of [calendar, ...others]) {
    const { occurrences, unreadable } = await readRange(calendarContext, checked, range, context, budget);
    unreadableEvents += unreadable.length;
    for (const each of occurrences) {
      const { startUtc, endUtc, event, component } = each;
      const overlaps = spans.some(({ from, to }) => startUtc < to && endUtc > from);
      if (!overlaps || ownUids.includes(event.uid) || !isBusy(each, checked.person)) continue;
      conflicts.push({
        calendar: checked.name,
        ...(checked.access !== "busy" && { title: readTitle(component) }),
        start: formatLocalIso(zone.toLocal(startUtc), false),
        end: formatLocalIso(zone.toLocal(endUtc), false),
        startUtc: formatUtc(startUtc),
      });
    }
  }
  const known = [calendar, ...others].map(({ person }) => person ?? "");
  return {
    conflicts: conflicts.slice(0, maxListed),
    ...(conflicts.length > maxListed && { furtherConflicts: conflicts.length - maxListed }),
    calendarsChecked: [calendar, ...others].map(({ name }) => name),
    notChecked: people.filter((each) => !known.some((person) => isSamePerson(person, each))),
    ...(unreadableEvents > 0 && { unreadableEvents }),
  };
}

/** An attendee as approvers see them. */
export interface MarkedPerson {
  readonly email: string;
  readonly name?: string | undefined;
  readonly optional?: true;
  /** `outside`: of another domain. `new`: in no event of the calendar of the 60 days before. */
  readonly marks?: readonly ("outside" | "new")[];
}

/** Lists the attendees of an event with their answers, without the organizer. */
export function describeAttendees({ config }: CalendarContext, component: JComponent): JsonObject[] {
  const organizer = readOrganizer(component) ?? "";
  return readAttendees(component)
    .filter(({ email }) => !isSamePerson(email, organizer))
    .map(({ email, answer }) => ({ email, answer, ...(isOutside(config, email) && { marks: ["outside"] }) }));
}

function isOutside({ domains }: CalendarContext["config"], email: string): boolean {
  return !domains.includes(email.slice(email.lastIndexOf("@") + 1));
}

const acquaintanceDays = 60;

/** Marks the attendees that approvers should look at twice. */
export async function markPeople(
  calendarContext: CalendarContext,
  calendar: ConfiguredCalendar,
  people: readonly {
    readonly email: string;
    readonly name?: string | undefined;
    readonly optional?: boolean;
  }[],
  startUtc: number,
  context: RequestContext,
): Promise<MarkedPerson[]> {
  const configured = listCalendars(calendarContext).flatMap(({ person }) => person ?? []);
  const isConfigured = (email: string) => configured.some((each) => isSamePerson(each, email));
  const met = people.every(({ email }) => isConfigured(email))
    ? []
    : await listAcquaintances(calendarContext, calendar, startUtc, context);
  return people.map(({ email, name, optional }) => {
    const isNew = !isConfigured(email) && !met.some((each) => isSamePerson(each, email));
    const marks = [
      ...(isOutside(calendarContext.config, email) ? ["outside" as const] : []),
      ...(isNew ? ["new" as const] : []),
    ];
    return { email, name, ...(optional && { optional }), ...(marks.length > 0 && { marks }) };
  });
}

async function listAcquaintances(
  calendarContext: CalendarContext,
  calendar: ConfiguredCalendar,
  startUtc: number,
  context: RequestContext,
): Promise<string[]> {
  try {
    const range = { from: startUtc - acquaintanceDays * dayMs, to: startUtc };
    const { occurrences } = await readRange(calendarContext, calendar, range, context);
    return occurrences.flatMap(({ component }) => [
      ...readAttendees(component).map(({ email }) => email),
      ...[readOrganizer(component) ?? []].flat(),
    ]);
  } catch (error) {
    // In a calendar that is too full to compare, all people count as new.
    if (error instanceof CapabilityError && error.code === "answer-too-large") return [];
    throw error;
  }
}
