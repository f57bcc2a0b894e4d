import type { DavResource } from "../dav/dav-client.ts";
import { formatLocalIso, parseLocal } from "../time/format.ts";
import { dayMs, isInSupportedYears } from "../time/zone.ts";
import { createZone, type EventZone, readEventZone } from "./event-zone.ts";
import {
  findProperty,
  type JComponent,
  type JProperty,
  listComponents,
  listProperties,
  parseCalendarObject,
  readParameter,
  readText,
  UnreadableEvent,
} from "./jcal.ts";
import { ExpansionBudget, expandRule, type Rule, readRule } from "./rule.ts";

/** The start and end of an event or of one occurrence, as local times of a zone. The end is exclusive. */
export interface EventTimes {
  readonly start: number;
  readonly end: number;
  readonly isDate: boolean;
  readonly zone: EventZone;
}

/** A changed occurrence, with the local time that the series would give it. */
export interface ChangedOccurrence {
  readonly replaces: number;
  readonly component: JComponent;
  readonly times: EventTimes;
}

/** One event of a calendar, parsed: a single event, or a series with its changed occurrences. */
export interface CalendarEvent {
  readonly id: string;
  readonly etag: string;
  readonly data: string;
  readonly uid: string;
  readonly calendar: JComponent;
  /** The event or the series. An invitation to single occurrences of a series contains no series. */
  readonly main: JComponent;
  readonly times: EventTimes;
  readonly rule: Rule | undefined;
  readonly excluded: ReadonlySet<number>;
  readonly added: readonly number[];
  readonly changed: readonly ChangedOccurrence[];
  readonly isSeries: boolean;
}

/** One occurrence of an event. A single event has one, without a name. */
export interface Occurrence {
  readonly event: CalendarEvent;
  /** The name of the occurrence: its original local time in the zone of the series. */
  readonly occurrence: string | undefined;
  readonly component: JComponent;
  readonly times: EventTimes;
  readonly startUtc: number;
  readonly endUtc: number;
}

/**
 * Parses an event's resource. Times without a zone of their own are times of `calendarZone`. Throws `UnreadableEvent`
 * if Paraph does not understand the event.
 */
export function parseEvent(
  { id, etag, data }: DavResource,
  calendarZone: string,
  budget = new ExpansionBudget(),
): CalendarEvent {
  const calendar = parseCalendarObject(data);
  const all = listComponents(calendar, "vevent");
  const uid = readText(all[0] ?? calendar, "uid");
  if (uid === undefined || uid.length > 1_000 || all.some((each) => readText(each, "uid") !== uid))
    throw new UnreadableEvent("it has no event, or several");
  const masters = all.filter((each) => !findProperty(each, "recurrence-id"));
  const main = masters[0] ?? all[0]!;
  if (masters.length > 1) throw new UnreadableEvent("it has several events");
  const readZone = cacheZones(calendar, budget);
  const read = (property: JProperty) => readTime(property, calendarZone, readZone);
  const times = readTimes(main, read);
  const toSeriesTime = (property: JProperty) => {
    const { local, zone } = read(property);
    return times.isDate || zone.name === times.zone.name ? local : times.zone.toLocal(zone.toUtc(local));
  };
  const raw = findProperty(main, "rrule")?.[3];
  if (listProperties(main, "rrule").length > 1 || findProperty(main, "exrule"))
    throw new UnreadableEvent("it repeats by several rules");
  const rule = raw === undefined ? undefined : readRule(raw, (text) => readUntil(text, times));
  const added = listProperties(main, "rdate").flatMap((property) => splitValues(property).map(toSeriesTime));
  return {
    ...{ id, etag, data, uid, calendar, main, times, rule, added },
    excluded: new Set(
      listProperties(main, "exdate").flatMap((property) => splitValues(property).map(toSeriesTime)),
    ),
    changed: all
      .filter((each) => each !== main || masters.length === 0)
      .map((component) => {
        const [id] = listProperties(component, "recurrence-id");
        if (readParameter(id!, "range") !== undefined)
          throw new UnreadableEvent("it changes several occurrences at once");
        return { component, replaces: toSeriesTime(id!), times: readTimes(component, read) };
      }),
    isSeries: rule !== undefined || added.length > 0 || masters.length === 0,
  };
}

/** Returns the occurrences that overlap the window, in order. */
export function listOccurrences(
  event: CalendarEvent,
  window: { readonly from: number; readonly to: number },
  budget = new ExpansionBudget(),
): Occurrence[] {
  const { times, changed, main } = event;
  const duration = times.end - times.start;
  const starts = listSeriesStarts(
    event,
    { from: window.from - duration - 2 * dayMs, to: window.to + 2 * dayMs },
    budget,
  );
  // Converting times costs more than finding them.
  budget.take(200 * starts.length);
  const replaced = new Set(changed.map(({ replaces }) => replaces));
  return [
    ...starts
      .filter((start) => !replaced.has(start))
      .map((start) =>
        toOccurrence(
          event,
          main,
          { ...times, start, end: start + duration },
          event.isSeries ? start : undefined,
        ),
      ),
    ...changed.map(({ component, times: own, replaces }) => toOccurrence(event, component, own, replaces)),
  ]
    .filter(
      ({ startUtc, endUtc }) => startUtc < window.to && (endUtc > window.from || startUtc === window.from),
    )
    .sort((a, b) => a.startUtc - b.startUtc);
}

/** Returns the local times at which the series has occurrences, before changed ones replace them. */
export function listSeriesStarts(
  { main, times, rule, added, excluded }: CalendarEvent,
  window: { readonly from: number; readonly to: number },
  budget: ExpansionBudget,
): number[] {
  if (findProperty(main, "recurrence-id")) return [];
  const starts = new Set([
    times.start,
    ...added,
    ...(rule ? expandRule(rule, times.start, window, budget) : []),
  ]);
  return [...starts]
    .filter((start) => start >= window.from && start <= window.to && !excluded.has(start))
    .sort((a, b) => a - b);
}

/**
 * Finds an occurrence by its name, which is its original local time. `as` says whether to return a changed occurrence
 * as it is, or as the series would give it.
 */
export function findOccurrence(
  event: CalendarEvent,
  name: string,
  as: "changed" | "original",
): Occurrence | undefined {
  const wanted = parseLocal(name);
  if (!wanted || wanted.isDate !== event.times.isDate || !event.isSeries) return undefined;
  const changed = event.changed.find(({ replaces }) => replaces === wanted.local);
  if (changed && as === "changed")
    return toOccurrence(event, changed.component, changed.times, changed.replaces);
  const window = { from: wanted.local, to: wanted.local };
  const [start] = listSeriesStarts(event, window, new ExpansionBudget());
  if (start === undefined) return undefined;
  const { times, main } = event;
  return toOccurrence(event, main, { ...times, start, end: start + times.end - times.start }, start);
}

export function toOccurrence(
  event: CalendarEvent,
  component: JComponent,
  times: EventTimes,
  replaces: number | undefined,
): Occurrence {
  return {
    event,
    component,
    times,
    occurrence: replaces === undefined ? undefined : formatLocalIso(replaces, event.times.isDate),
    startUtc: times.zone.toUtc(times.start),
    endUtc: times.zone.toUtc(times.end),
  };
}

interface EventTime {
  readonly local: number;
  readonly isDate: boolean;
  readonly zone: EventZone;
}

/**
 * Returns a function that reads the zones of a calendar object. [TRUST 24] It reads each zone once, because thousands of
 * times may name a zone with thousands of changes.
 */
function cacheZones(calendar: JComponent, budget: ExpansionBudget): (tzid: string) => EventZone {
  const zones = new Map<string, EventZone>();
  return (tzid) => {
    const zone = zones.get(tzid) ?? readEventZone(tzid, calendar, budget);
    zones.set(tzid, zone);
    return zone;
  };
}

function readTime(
  property: JProperty,
  calendarZone: string,
  readZone: (tzid: string) => EventZone,
): EventTime {
  const value = property[3];
  const text = typeof value === "string" ? value : Array.isArray(value) ? String(value[0]) : "";
  const parsed = parseLocal(text.replace(/Z$/, ""));
  if (!parsed || !isInSupportedYears(parsed.local))
    throw new UnreadableEvent("one of its times is not valid");
  const tzid = readParameter(property, "tzid");
  if (text.endsWith("Z")) return { ...parsed, zone: createZone("UTC") };
  if (parsed.isDate || tzid === undefined) return { ...parsed, zone: createZone(calendarZone, true) };
  return { ...parsed, zone: readZone(tzid) };
}

function readTimes(component: JComponent, read: (property: JProperty) => EventTime): EventTimes {
  const [from, to] = [findProperty(component, "dtstart"), findProperty(component, "dtend")];
  if (!from) throw new UnreadableEvent("it has no start");
  const { local: start, isDate, zone } = read(from);
  const end = to ? readEnd(read(to), zone) : start + readDuration(component, isDate);
  if (end < start || !isInSupportedYears(end)) throw new UnreadableEvent("it ends before it starts");
  return { start, end, isDate, zone };
}

function readEnd({ local, zone, isDate }: EventTime, startZone: EventZone): number {
  return isDate || zone.name === startZone.name ? local : startZone.toLocal(zone.toUtc(local));
}

function readDuration(component: JComponent, isDate: boolean): number {
  const text = readText(component, "duration");
  if (text === undefined) return isDate ? dayMs : 0;
  const match =
    /^\+?P(?:(\d{1,4})W|(?:(\d{1,5})D)?(?:T(?:(\d{1,6})H)?(?:(\d{1,7})M)?(?:(\d{1,8})S)?)?)$/.exec(text);
  if (!match) throw new UnreadableEvent("its duration is not valid");
  const [weeks, days, hours, minutes, seconds] = match.slice(1).map((each) => Number(each ?? 0)) as [
    number,
    number,
    number,
    number,
    number,
  ];
  return (weeks * 7 + days) * dayMs + ((hours * 60 + minutes) * 60 + seconds) * 1000;
}

function readUntil(text: string, { zone, isDate }: EventTimes): number {
  const parsed = parseLocal(text.replace(/Z$/, ""));
  if (!parsed) throw new UnreadableEvent("its rule is not valid");
  if (parsed.isDate) return isDate ? parsed.local : parsed.local + dayMs - 1;
  return text.endsWith("Z") && !isDate ? zone.toLocal(parsed.local) : parsed.local;
}

/**
 * A property with several values stands for several properties with one value each. [TRUST 30] An event with more is
 * refused. Without the other values, Paraph would show and write another series.
 */
function splitValues([name, parameters, type, ...values]: JProperty): JProperty[] {
  if (values.length > maxValues) throw new UnreadableEvent("it has too many dates");
  return values.map((value) => [name, parameters, type, value]);
}

const maxValues = 5_000;
