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
  const known = new Map<number, number>();
  const offsetOfLocal = (local: number): number => {
    const remembered = known.get(local);
    if (remembered !== undefined) return remembered;
    let latest: { readonly at: number; readonly offset: number } = {
      at: Number.NEGATIVE_INFINITY,
      offset: earliest.from,
    };
    for (const { start, to, listOnsets } of observances) {
      // Onsets repeat every year. An observance whose rule has ended counts by its last onset, if it is the latest.
      const at = listOnsets({ from: local - 400 * dayMs, to: local }).at(-1) ?? start;
      if (at <= local && at >= latest.at) latest = { at, offset: to };
    }
    known.set(local, latest.offset);
    return latest.offset;
  };
  return {
    name,
    floating: false,
    toUtc: (local) => local - offsetOfLocal(local),
    toLocal: (utc) => utc + offsetOfLocal(utc + offsetOfLocal(utc)),
  };
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
    listOnsets: (window) =>
      [...(rule ? expandRule(rule, start, window, budget) : []), ...dates, start]
        .filter((each) => each <= window.to)
        .sort((a, b) => a - b),
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
