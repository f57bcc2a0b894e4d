import { parseLocal } from "../time/format.ts";
import { dayMs, isZone, readZone, toLocal, toUtc } from "../time/zone.ts";
import {
  findProperty,
  type JComponent,
  listComponents,
  listProperties,
  readText,
  UnreadableEvent,
} from "./jcal.ts";
import { type ExpansionBudget, expandRule, readRule } from "./rule.ts";

/** The time zone of an event's times. */
export interface EventZone {
  /** The IANA name or, if the event defines its own zone, the name in the event. */
  readonly name: string;
  /** Whether the times have no zone of their own, so that the calendar's zone applies. */
  readonly floating: boolean;
  toUtc(local: number): number;
  toLocal(utc: number): number;
}

export function createZone(name: string, floating = false): EventZone {
  return {
    name,
    floating,
    toUtc: (local) => toUtc(local, name),
    toLocal: (utc) => toLocal(utc, name),
  };
}

/**
 * Returns the zone that a `TZID` names. Paraph knows IANA zones by their names. For any other name, the event itself
 * must define the zone.
 */
export function readEventZone(tzid: string, calendar: JComponent, budget: ExpansionBudget): EventZone {
  if (isZone(tzid)) return createZone(readZone(tzid));
  const definition = listComponents(calendar, "vtimezone").find((each) => readText(each, "tzid") === tzid);
  if (!definition) throw new UnreadableEvent("its time zone is not known");
  const location = readText(definition, "x-lic-location");
  if (location !== undefined && isZone(location)) return createZone(readZone(location));
  return createDefinedZone(tzid.slice(0, 64), definition, budget);
}

interface Observance {
  readonly start: number;
  readonly from: number;
  readonly to: number;
  listOnsets(window: { readonly from: number; readonly to: number }): readonly number[];
}

function createDefinedZone(name: string, definition: JComponent, budget: ExpansionBudget): EventZone {
  const observances = [
    ...listComponents(definition, "standard"),
    ...listComponents(definition, "daylight"),
  ].map((each) => readObservance(each, budget));
  const earliest = observances.toSorted((a, b) => a.start - b.start)[0];
  if (!earliest || observances.length > 50) throw new UnreadableEvent("its time zone is not valid");
  const years = new Map<number, readonly Onset[]>();
  // The onsets of a year, after the last one before it.
  const listYear = (year: number): readonly Onset[] => {
    const known = years.get(year);
    if (known) return known;
    const [from, to] = [Date.UTC(year, 0, 1), Date.UTC(year + 1, 0, 1) - 1];
    const listed = [
      findLastOnset(observances, from) ?? { at: Number.NEGATIVE_INFINITY, offset: earliest.from },
      ...listOnsets(observances, { from, to }),
    ];
    years.set(year, listed);
    return listed;
  };
  const offsetOfLocal = (local: number): number =>
    listYear(new Date(local).getUTCFullYear()).findLast(({ at }) => at <= local)!.offset;
  return {
    name,
    floating: false,
    toUtc: (local) => local - offsetOfLocal(local),
    toLocal: (utc) => {
      const [before, after] = [offsetOfLocal(utc - dayMs), offsetOfLocal(utc + dayMs)];
      return offsetOfLocal(utc + before) === before ? utc + before : utc + after;
    },
  };
}

/** The local time, by the offset before, from which an offset counts. */
interface Onset {
  readonly at: number;
  readonly offset: number;
}

function listOnsets(observances: readonly Observance[], window: { from: number; to: number }): Onset[] {
  return observances
    .flatMap(({ to, listOnsets: list }) => list(window).map((at) => ({ at, offset: to })))
    .filter(({ at }) => at >= window.from)
    .sort((a, b) => a.at - b.at);
}

/** Finds the last onset before a time. Most zones have one within the year before. */
function findLastOnset(observances: readonly Observance[], before: number): Onset | undefined {
  const to = before - 1;
  return (
    listOnsets(observances, { from: before - 400 * dayMs, to }).at(-1) ??
    listOnsets(observances, { from: Math.min(...observances.map(({ start }) => start)), to }).at(-1)
  );
}

function readObservance(component: JComponent, budget: ExpansionBudget): Observance {
  const start = parseLocal(readText(component, "dtstart") ?? "")?.local;
  const [from, to] = ["tzoffsetfrom", "tzoffsetto"].map((name) => parseOffset(readText(component, name)));
  if (start === undefined || from === undefined || to === undefined)
    throw new UnreadableEvent("its time zone is not valid");
  const raw = findProperty(component, "rrule")?.[3];
  const rule = raw === undefined ? undefined : readRule(raw, (text) => readUntilUtc(text) + from);
  const dates = listProperties(component, "rdate").flatMap(([, , , ...values]) =>
    values.flatMap((value) => parseLocal(String(value))?.local ?? []),
  );
  return {
    start,
    from,
    to,
    listOnsets: (window) => {
      budget.take(dates.length);
      return [...(rule ? expandRule(rule, start, window, budget) : []), ...dates, start]
        .filter((each) => each <= window.to)
        .sort((a, b) => a - b);
    },
  };
}

function parseOffset(text: string | undefined): number | undefined {
  const match = /^([+-])(\d{2}):(\d{2})(?::(\d{2}))?$/.exec(text ?? "");
  if (!match) return undefined;
  const seconds = Number(match[2]) * 3600 + Number(match[3]) * 60 + Number(match[4] ?? 0);
  return (match[1] === "-" ? -1 : 1) * seconds * 1000;
}

function readUntilUtc(text: string): number {
  const parsed = parseLocal(text.replace(/Z$/, ""));
  if (!parsed) throw new UnreadableEvent("its time zone is not valid");
  return parsed.isDate ? parsed.local + dayMs - 1 : parsed.local;
}

/** Returns the offset in the form of iCalendar, such as `+01:00`. */
export function formatOffset(ms: number): string {
  const seconds = Math.abs(ms) / 1000;
  const two = (value: number) => String(Math.floor(value)).padStart(2, "0");
  const rest = seconds % 60 === 0 ? "" : `:${two(seconds % 60)}`;
  return `${ms < 0 ? "-" : "+"}${two(seconds / 3600)}:${two((seconds % 3600) / 60)}${rest}`;
}
