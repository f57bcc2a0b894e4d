import { dayMs } from "../time/zone.ts";
import { type JValue, UnreadableEvent } from "./jcal.ts";

/** The part of a recurrence rule that Paraph understands. */
export interface Rule {
  readonly freq: "DAILY" | "WEEKLY" | "MONTHLY" | "YEARLY";
  readonly interval: number;
  readonly count: number | undefined;
  /** The last local time that the rule may give. */
  readonly until: number | undefined;
  readonly byDay: readonly { readonly nth: number; readonly weekday: number }[];
  readonly byMonthDay: readonly number[];
  readonly byYearDay: readonly number[];
  readonly byMonth: readonly number[];
  readonly bySetPos: readonly number[];
  /** The first day of a week, from 0 for Sunday. */
  readonly weekStart: number;
}

/**
 * The days that expanding rules may look at. Calls share one budget between all events, so that a rule without an end
 * or without a match cannot hang the process.
 */
export class ExpansionBudget {
  #days: number;

  constructor(days = 2_000_000) {
    this.#days = days;
  }

  take(days: number): void {
    this.#days -= days;
    if (this.#days < 0) throw new UnreadableEvent("it repeats too often");
  }
}

const weekdayCodes = ["SU", "MO", "TU", "WE", "TH", "FR", "SA"];
const knownParts = new Set(
  "freq interval count until wkst byday bymonthday byyearday bymonth bysetpos".split(" "),
);

/** Reads a rule as ical.js parses it. `readUntil` converts the end to the event's local time. */
export function readRule(raw: JValue | undefined, readUntil: (text: string) => number): Rule {
  if (typeof raw !== "object" || Array.isArray(raw)) throw new UnreadableEvent("its rule is not valid");
  const parts = raw as Readonly<Record<string, JValue>>;
  const unknown = Object.keys(parts).find((name) => !knownParts.has(name.toLowerCase()));
  const list = (name: string) => (parts[name] === undefined ? [] : [parts[name]].flat());
  const numbers = (name: string, max: number) =>
    list(name).map((each) => readNumber(each, (value) => value !== 0 && Math.abs(value) <= max));
  const freq = String(parts.freq);
  if (unknown !== undefined || !/^(?:DAILY|WEEKLY|MONTHLY|YEARLY)$/.test(freq))
    throw new UnreadableEvent("it repeats by a rule that Paraph does not know");
  return {
    freq: freq as Rule["freq"],
    interval: readNumber(parts.interval ?? 1, (value) => value >= 1 && value <= 10_000),
    count:
      parts.count === undefined
        ? undefined
        : readNumber(parts.count, (value) => value >= 1 && value <= 1_000_000),
    until: parts.until === undefined ? undefined : readUntil(String(parts.until)),
    byDay: list("byday").map(readByDay),
    byMonthDay: numbers("bymonthday", 31),
    byYearDay: numbers("byyearday", 366),
    byMonth: numbers("bymonth", 12),
    bySetPos: numbers("bysetpos", 366),
    weekStart: parts.wkst === undefined ? 1 : readWeekStart(parts.wkst),
  };
}

function readNumber(raw: JValue, isValid: (value: number) => boolean): number {
  const value = Number(raw);
  if (!Number.isInteger(value) || !isValid(value)) throw new UnreadableEvent("its rule is not valid");
  return value;
}

/** ical.js gives the number of the day, from 1 for Sunday. A rule that Paraph wrote itself has the day's name. */
function readWeekStart(raw: JValue): number {
  const weekday = typeof raw === "number" ? raw - 1 : weekdayCodes.indexOf(String(raw));
  return readNumber(weekday, (value) => value >= 0 && value <= 6);
}

function readByDay(raw: JValue): Rule["byDay"][number] {
  const match = /^([+-]?\d{1,2})?(SU|MO|TU|WE|TH|FR|SA)$/.exec(String(raw).toUpperCase());
  if (!match) throw new UnreadableEvent("its rule is not valid");
  return { nth: Number(match[1] ?? 0), weekday: weekdayCodes.indexOf(match[2]!) };
}

/**
 * Returns the local start times that the rule gives in the window, in order. The work is bounded by the number of days
 * between the first start and the end of the window.
 */
export function expandRule(
  rule: Rule,
  start: number,
  window: { readonly from: number; readonly to: number },
  budget: ExpansionBudget,
): number[] {
  const startDay = Math.floor(start / dayMs);
  const timeOfDay = start - startDay * dayMs;
  const last = Math.min(window.to, rule.until ?? Number.POSITIVE_INFINITY);
  const found: number[] = [];
  // With a count, every occurrence since the first has to be counted. Otherwise the first periods can be skipped.
  let period = rule.count === undefined ? countPeriods(rule, startDay, Math.floor(window.from / dayMs)) : 0;
  for (let counted = 0; ; period++) {
    const days = listPeriod(rule, startDay, period);
    if (days.first * dayMs > last) return found;
    budget.take(1 + days.length);
    for (const day of pickPositions(rule, listMatches(rule, days, startDay))) {
      const local = day * dayMs + timeOfDay;
      if (local < start) continue;
      counted += 1;
      if (local > last || (rule.count !== undefined && counted > rule.count)) return found;
      if (local >= window.from) found.push(local);
    }
  }
}

interface Days {
  readonly first: number;
  readonly length: number;
}

function countPeriods({ freq, interval, weekStart }: Rule, startDay: number, day: number): number {
  if (day <= startDay) return 0;
  const [one, other] = [toDate(startDay), toDate(day)];
  const years = other.year - one.year;
  const passed = {
    DAILY: day - startDay,
    WEEKLY: (firstOfWeek(day, weekStart) - firstOfWeek(startDay, weekStart)) / 7,
    MONTHLY: years * 12 + other.month - one.month,
    YEARLY: years,
  }[freq];
  return Math.max(0, Math.floor(passed / interval) - 1);
}

function listPeriod({ freq, interval, weekStart }: Rule, startDay: number, index: number): Days {
  const steps = index * interval;
  const { year, month } = toDate(startDay);
  switch (freq) {
    case "DAILY":
      return { first: startDay + steps, length: 1 };
    case "WEEKLY":
      return { first: firstOfWeek(startDay, weekStart) + 7 * steps, length: 7 };
    case "MONTHLY":
      return between(toDay(year, month + steps, 1), toDay(year, month + steps + 1, 1));
    case "YEARLY":
      return between(toDay(year + steps, 0, 1), toDay(year + steps + 1, 0, 1));
  }
}

const between = (first: number, next: number): Days => ({ first, length: next - first });

function listMatches(rule: Rule, { first, length }: Days, startDay: number): number[] {
  const matches: number[] = [];
  for (let day = first; day < first + length; day++) if (matchesRule(rule, day, startDay)) matches.push(day);
  return matches;
}

function matchesRule(rule: Rule, day: number, startDay: number): boolean {
  const { freq, byDay, byMonthDay, byYearDay, byMonth } = rule;
  const date = toDate(day);
  const start = toDate(startDay);
  if (byMonth.length > 0 && !byMonth.includes(date.month + 1)) return false;
  const monthLength = toDay(date.year, date.month + 1, 1) - toDay(date.year, date.month, 1);
  if (!isListed(byMonthDay, date.day, monthLength)) return false;
  const [yearFirst, yearNext] = [toDay(date.year, 0, 1), toDay(date.year + 1, 0, 1)];
  if (!isListed(byYearDay, day - yearFirst + 1, yearNext - yearFirst)) return false;
  if (byDay.length > 0) return matchesByDay(rule, day);
  if (byMonthDay.length > 0 || byYearDay.length > 0 || freq === "DAILY") return true;
  if (freq === "WEEKLY") return toWeekday(day) === toWeekday(startDay);
  if (freq === "MONTHLY" || byMonth.length > 0) return date.day === start.day;
  return date.day === start.day && date.month === start.month;
}

/** A number counts from the beginning, or from the end if it is negative. An empty list restricts nothing. */
function isListed(list: readonly number[], position: number, length: number): boolean {
  return list.length === 0 || list.includes(position) || list.includes(position - length - 1);
}

function matchesByDay({ freq, byDay, byMonth }: Rule, day: number): boolean {
  const { year, month } = toDate(day);
  const inYear = freq === "YEARLY" && byMonth.length === 0;
  const first = inYear ? toDay(year, 0, 1) : toDay(year, month, 1);
  const next = inYear ? toDay(year + 1, 0, 1) : toDay(year, month + 1, 1);
  const fromStart = Math.floor((day - first) / 7) + 1;
  const fromEnd = -Math.floor((next - 1 - day) / 7) - 1;
  const counts = freq === "MONTHLY" || freq === "YEARLY";
  return byDay.some(
    ({ nth, weekday }) =>
      weekday === toWeekday(day) && (!counts || nth === 0 || nth === fromStart || nth === fromEnd),
  );
}

function pickPositions({ bySetPos }: Rule, days: readonly number[]): readonly number[] {
  if (bySetPos.length === 0) return days;
  return days.filter((_, index) => isListed(bySetPos, index + 1, days.length));
}

function toDay(year: number, month: number, day: number): number {
  return Date.UTC(year, month, day) / dayMs;
}

function toDate(day: number): { readonly year: number; readonly month: number; readonly day: number } {
  const date = new Date(day * dayMs);
  return { year: date.getUTCFullYear(), month: date.getUTCMonth(), day: date.getUTCDate() };
}

/** 0 is Sunday. Day 0 of the epoch was a Thursday. */
export function toWeekday(day: number): number {
  return (((day + 4) % 7) + 7) % 7;
}

function firstOfWeek(day: number, weekStart: number): number {
  return day - ((toWeekday(day) - weekStart + 7) % 7);
}
