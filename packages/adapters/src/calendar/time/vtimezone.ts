import { formatOffset } from "../ical/event-zone.ts";
import type { JComponent, JProperty, JValue } from "../ical/jcal.ts";
import { dayMs, zoneOffset } from "./zone.ts";

/** A change of a zone's offset. `local` is the time at which it happens, by the offset before. */
interface Transition {
  readonly local: number;
  readonly from: number;
  readonly to: number;
}

/** The number of years after the event for which the definition lists or repeats the changes of the offset. */
const yearsAhead = 10;

/**
 * Returns the definition of an IANA zone for an event at this time. It begins before the event and repeats by rules
 * where the zone does. Equal arguments and equal time zone data give equal bytes.
 */
export function createVtimezone(zone: string, startUtc: number): JComponent {
  const year = new Date(startUtc).getUTCFullYear();
  const transitions = listTransitions(zone, Date.UTC(year - 1, 0, 1), Date.UTC(year + yearsAhead, 11, 31));
  const observances =
    transitions.length === 0
      ? [createObservance([{ local: 0, from: zoneOffset(startUtc, zone), to: zoneOffset(startUtc, zone) }])]
      : groupTransitions(transitions).map(createObservance);
  return ["vtimezone", [["tzid", {}, "text", zone]], observances];
}

/** Looks at every week, because no zone changes its offset twice within one. */
function listTransitions(zone: string, from: number, to: number): Transition[] {
  const found: Transition[] = [];
  let offset = zoneOffset(from, zone);
  for (let week = from; week < to; week += 7 * dayMs) {
    const next = zoneOffset(week + 7 * dayMs, zone);
    if (next === offset) continue;
    let [low, high] = [week, week + 7 * dayMs];
    while (high - low > 1000) {
      const middle = low + Math.floor((high - low) / 2000) * 1000;
      if (zoneOffset(middle, zone) === offset) low = middle;
      else high = middle;
    }
    found.push({ local: high + offset, from: offset, to: next });
    offset = next;
  }
  return found;
}

/** Groups the changes that one observance can describe: the same offsets, month, weekday and time. */
function groupTransitions(transitions: readonly Transition[]): Transition[][] {
  const groups = new Map<string, Transition[]>();
  for (const each of transitions) {
    const date = new Date(each.local);
    const key = [each.from, each.to, date.getUTCMonth(), date.getUTCDay(), each.local % dayMs].join(" ");
    groups.set(key, [...(groups.get(key) ?? []), each]);
  }
  return [...groups.values()];
}

function createObservance(group: readonly Transition[]): JComponent {
  const { local, from, to } = group[0]!;
  const rule = toYearlyRule(group);
  const properties: JProperty[] = [
    ["dtstart", {}, "date-time", formatDateTime(local)],
    ["tzoffsetfrom", {}, "utc-offset", formatOffset(from)],
    ["tzoffsetto", {}, "utc-offset", formatOffset(to)],
    ...(rule ? [["rrule", {}, "recur", rule] as JProperty] : []),
    ...(!rule && group.length > 1
      ? [["rdate", {}, "date-time", ...group.slice(1).map((each) => formatDateTime(each.local))] as JProperty]
      : []),
  ];
  return [to > from ? "daylight" : "standard", properties, []];
}

/** Returns the rule if the group has one change in every year, in the same or in the last week of the month. */
function toYearlyRule(group: readonly Transition[]): JValue | undefined {
  const dates = group.map(({ local }) => new Date(local));
  const first = dates[0]!.getUTCFullYear();
  const isYearly = dates.every((date, index) => date.getUTCFullYear() === first + index);
  if (!isYearly || dates.length < yearsAhead) return undefined;
  const weekday = ["SU", "MO", "TU", "WE", "TH", "FR", "SA"][dates[0]!.getUTCDay()];
  const weeks = new Set(dates.map((date) => Math.ceil(date.getUTCDate() / 7)));
  const isLast = dates.every(
    (date) => new Date(date.getTime() + 7 * dayMs).getUTCMonth() !== date.getUTCMonth(),
  );
  if (!isLast && weeks.size > 1) return undefined;
  const nth = isLast ? -1 : [...weeks][0]!;
  return { freq: "YEARLY", bymonth: dates[0]!.getUTCMonth() + 1, byday: `${nth}${weekday}` };
}

function formatDateTime(local: number): string {
  return new Date(local).toISOString().slice(0, 19);
}
