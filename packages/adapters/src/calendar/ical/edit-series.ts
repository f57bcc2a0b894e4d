import { parseLocal } from "../time/format.ts";
import { dayMs } from "../time/zone.ts";
import type { CalendarEvent, EventTimes } from "./event.ts";
import {
  findProperty,
  type JComponent,
  type JProperty,
  type JValue,
  listComponents,
  readParameter,
  UnreadableEvent,
  withProperties,
} from "./jcal.ts";
import { ExpansionBudget, expandRule, toWeekday } from "./rule.ts";
import { formatUtcTime, toTimeProperties, toTimeProperty } from "./write-event.ts";

/** Properties that describe a series. A changed occurrence has none of them. */
const seriesProperties = ["rrule", "rdate", "exdate", "exrule"];

/** Returns the calendar object with other event components. Other parts, such as time zones, stay. */
export function withEvents(calendar: JComponent, events: readonly JComponent[]): JComponent {
  const [name, properties, components] = calendar;
  return [name, properties, [...components.filter(([each]) => each !== "vevent"), ...events]];
}

/** Returns the event components of a calendar object, each changed by the function. */
export function mapEvents(calendar: JComponent, change: (event: JComponent) => JComponent): JComponent {
  return withEvents(calendar, listComponents(calendar, "vevent").map(change));
}

/** Gives one component other times, in the zone that it names already. */
export function withTimes(component: JComponent, times: EventTimes): JComponent {
  const start = findProperty(component, "dtstart");
  const tzid = (start && readParameter(start, "tzid")) ?? times.zone.name;
  return withProperties(component, toTimeProperties(times, tzid), ["duration"]);
}

/** Changes one occurrence of a series. Returns the events with the occurrence as a component of its own. */
export function changeOccurrence(
  { calendar, main, times, changed }: CalendarEvent,
  original: number,
  change: (component: JComponent) => JComponent,
): JComponent {
  const known = changed.find(({ replaces }) => replaces === original);
  if (known) return mapEvents(calendar, (each) => (each === known.component ? change(each) : each));
  const own: EventTimes = { ...times, start: original, end: original + times.end - times.start };
  const recurrenceId = toSeriesProperty("recurrence-id", main, times, [original])!;
  const single = withProperties(withTimes(main, own), [recurrenceId], seriesProperties);
  return withEvents(calendar, [...listComponents(calendar, "vevent"), change(single)]);
}

/** Removes one occurrence of a series. Returns undefined if no occurrence is left. */
export function removeOccurrence(event: CalendarEvent, original: number): JComponent | undefined {
  const { calendar, main, times, changed, excluded } = event;
  const gone = changed.find(({ replaces }) => replaces === original)?.component;
  const left = listComponents(calendar, "vevent").filter((each) => each !== gone);
  if (findProperty(main, "recurrence-id")) return left.length > 0 ? withEvents(calendar, left) : undefined;
  const added = event.added.filter((each) => each !== original);
  const shortened = withProperties(
    main,
    [
      ...toSeriesProperties("rdate", main, times, added),
      ...toSeriesProperties("exdate", main, times, [...excluded, original]),
    ],
    added.length === 0 ? ["rdate"] : [],
  );
  return withEvents(
    calendar,
    left.map((each) => (each === main ? shortened : each)),
  );
}

/** Moves the whole series by a time, and gives every occurrence a new duration. Changed occurrences stay where they are. */
export function shiftSeries(event: CalendarEvent, shift: number, duration: number): JComponent {
  const { calendar, main, times, excluded, added, changed } = event;
  const moved: EventTimes = { ...times, start: times.start + shift, end: times.start + shift + duration };
  const shifted = withProperties(withTimes(main, moved), [
    ...shiftRule(event, shift, moved),
    ...toSeriesProperties(
      "exdate",
      main,
      times,
      [...excluded].map((each) => each + shift),
    ),
    ...toSeriesProperties(
      "rdate",
      main,
      times,
      added.map((each) => each + shift),
    ),
  ]);
  return mapEvents(calendar, (each) => {
    if (each === main) return shifted;
    const own = changed.find(({ component }) => component === each);
    const id = own && toSeriesProperty("recurrence-id", main, times, [own.replaces + shift]);
    return id ? withProperties(each, [id]) : each;
  });
}

/** Ends the series before an occurrence. Returns undefined if no occurrence is left before it. */
export function endSeriesBefore(event: CalendarEvent, original: number): JComponent | undefined {
  const { calendar, main, times, excluded, added, changed } = event;
  if (original <= times.start) return undefined;
  const isBefore = (local: number) => local < original;
  const raw = findProperty(main, "rrule")?.[3] as { readonly [name: string]: JValue } | undefined;
  const dates = added.filter(isBefore);
  const ended = withProperties(
    main,
    [
      ...(raw ? [toRuleProperty({ ...raw, until: formatUntil(original - 1000, times) }, ["count"])] : []),
      ...toSeriesProperties("rdate", main, times, dates),
      ...toSeriesProperties("exdate", main, times, [...excluded].filter(isBefore)),
    ],
    ["rdate", "exdate"],
  );
  const late = new Set(
    changed.filter(({ replaces }) => !isBefore(replaces)).map(({ component }) => component),
  );
  return withEvents(
    calendar,
    listComponents(calendar, "vevent")
      .filter((each) => !late.has(each))
      .map((each) => (each === main ? ended : each)),
  );
}

/** Returns the series from an occurrence on, as an event of its own with a new UID. */
export function continueSeriesFrom(event: CalendarEvent, original: number, uid: string): JComponent {
  const { calendar, main, times, rule, excluded, added, changed } = event;
  const isLater = (local: number) => local >= original;
  const raw = findProperty(main, "rrule")?.[3] as { readonly [name: string]: JValue } | undefined;
  const passed =
    rule?.count === undefined
      ? 0
      : expandRule(rule, times.start, { from: times.start, to: original - 1 }, new ExpansionBudget()).length;
  const count = rule?.count === undefined ? {} : { count: rule.count - passed };
  const newUid: JProperty = ["uid", {}, "text", uid];
  const own: EventTimes = { ...times, start: original, end: original + times.end - times.start };
  const continued = withProperties(
    withTimes(main, own),
    [
      newUid,
      ...(raw ? [toRuleProperty({ ...raw, ...count }, [])] : []),
      ...toSeriesProperties(
        "rdate",
        main,
        times,
        added.filter((each) => each > original),
      ),
      ...toSeriesProperties("exdate", main, times, [...excluded].filter(isLater)),
    ],
    ["rdate", "exdate"],
  );
  const later = new Set(
    changed.filter(({ replaces }) => isLater(replaces)).map(({ component }) => component),
  );
  return withEvents(calendar, [
    continued,
    ...listComponents(calendar, "vevent")
      .filter((each) => later.has(each))
      .map((each) => withProperties(each, [newUid])),
  ]);
}

function shiftRule({ main, times, rule }: CalendarEvent, shift: number, moved: EventTimes): JProperty[] {
  const raw = findProperty(main, "rrule")?.[3] as { readonly [name: string]: JValue } | undefined;
  if (!raw || !rule) return [];
  const days = Math.floor(moved.start / dayMs) - Math.floor(times.start / dayMs);
  const until = rule.until === undefined ? {} : { until: formatUntil(rule.until + shift, moved) };
  return [toRuleProperty({ ...raw, ...until, ...(days !== 0 && shiftDays(raw, days, times)) }, [])];
}

/**
 * Returns the days of the week on which the moved series takes place. Other rules by days cannot follow a series to
 * another day.
 */
function shiftDays(
  raw: { readonly [name: string]: JValue },
  days: number,
  times: EventTimes,
): { readonly byday?: readonly string[] } {
  const byDays = ["byday", "bymonthday", "byyearday", "bymonth", "bysetpos"].filter((name) => name in raw);
  if (byDays.length === 0) return {};
  const codes = [raw.byday ?? []].flat().map(String);
  const own = codeOf(Math.floor(times.start / dayMs));
  // With one day a week, the week's borders do not matter. With several, a series of every week has none.
  const isWeekly = raw.freq === "WEEKLY" && byDays.length === 1 && codes.includes(own);
  if (!isWeekly || (codes.length > 1 && Number(raw.interval ?? 1) > 1))
    throw new UnreadableEvent("its rule names days, so the whole series cannot move to another day");
  return { byday: codes.map((code) => weekdayCodes[(((weekdayCodes.indexOf(code) + days) % 7) + 7) % 7]!) };
}

const weekdayCodes = ["SU", "MO", "TU", "WE", "TH", "FR", "SA"];
const codeOf = (day: number): string => weekdayCodes[toWeekday(day)]!;

function toRuleProperty(value: { readonly [name: string]: JValue }, removed: readonly string[]): JProperty {
  const kept = Object.entries(value).filter(([name]) => !removed.includes(name));
  return ["rrule", {}, "recur", Object.fromEntries(kept)];
}

function formatUntil(local: number, { isDate, zone }: EventTimes): string {
  if (isDate) return new Date(local).toISOString().slice(0, 10);
  return zone.floating ? new Date(local).toISOString().slice(0, 19) : formatUtcTime(zone.toUtc(local));
}

/** Returns a property with several times of the series, in the zone that the series names, or none. */
function toSeriesProperties(
  name: string,
  main: JComponent,
  times: EventTimes,
  locals: readonly number[],
): JProperty[] {
  const property = toSeriesProperty(name, main, times, locals);
  return property ? [property] : [];
}

function toSeriesProperty(
  name: string,
  main: JComponent,
  times: EventTimes,
  locals: readonly number[],
): JProperty | undefined {
  const start = findProperty(main, "dtstart");
  const tzid = (start && readParameter(start, "tzid")) ?? times.zone.name;
  const [first, ...others] = [...new Set(locals)]
    .sort((a, b) => a - b)
    .map((local) => toTimeProperty(name, local, times, tzid));
  return first && [first[0], first[1], first[2], first[3]!, ...others.map((each) => each[3]!)];
}

/** Parses the name of an occurrence, which `findTarget` has checked. */
export function parseOccurrence(name: string): number {
  return parseLocal(name)!.local;
}
