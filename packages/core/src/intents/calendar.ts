/** A day of the calendar. */
export interface Day {
  readonly year: number;
  readonly month: number;
  readonly day: number;
}

/** A time of day. */
export interface TimeOfDay {
  readonly hour: number;
  readonly minute: number;
}

const dayMs = 86_400_000;

/** Returns the number of days since 1970-01-01. */
export function toDayNumber({ year, month, day }: Day): number {
  const shifted = month <= 2 ? year - 1 : year;
  const era = Math.floor(shifted / 400);
  const yearOfEra = shifted - era * 400;
  const dayOfYear = Math.floor((153 * (month + (month > 2 ? -3 : 9)) + 2) / 5) + day - 1;
  const dayOfEra = yearOfEra * 365 + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100) + dayOfYear;
  return era * 146_097 + dayOfEra - 719_468;
}

export function fromDayNumber(number: number): Day {
  const shifted = number + 719_468;
  const era = Math.floor(shifted / 146_097);
  const dayOfEra = shifted - era * 146_097;
  const yearOfEra = Math.floor(
    (dayOfEra -
      Math.floor(dayOfEra / 1_460) +
      Math.floor(dayOfEra / 36_524) -
      Math.floor(dayOfEra / 146_096)) /
      365,
  );
  const dayOfYear = dayOfEra - (365 * yearOfEra + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100));
  const shiftedMonth = Math.floor((5 * dayOfYear + 2) / 153);
  const day = dayOfYear - Math.floor((153 * shiftedMonth + 2) / 5) + 1;
  const month = shiftedMonth + (shiftedMonth < 10 ? 3 : -9);
  return { year: yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, day };
}

/** Returns the day, or undefined if the calendar has no such day. */
export function toDay(year: number, month: number, day: number): Day | undefined {
  const written = { year, month, day };
  const read = fromDayNumber(toDayNumber(written));
  return read.year === year && read.month === month && read.day === day ? written : undefined;
}

/** Returns the day of the week, from 1 for Monday to 7 for Sunday. */
export function toWeekday(dayNumber: number): number {
  return ((((dayNumber + 3) % 7) + 7) % 7) + 1;
}

export function formatDay({ year, month, day }: Day): string {
  return `${String(year).padStart(4, "0")}-${pad(month)}-${pad(day)}`;
}

/** Returns the day of an ISO 8601 date. */
export function parseDay(text: string): Day | undefined {
  const [year = 0, month = 0, day = 0] = text.split("-").map(Number);
  return toDay(year, month, day);
}

export function formatTimeOfDay({ hour, minute }: TimeOfDay): string {
  return `${pad(hour)}:${pad(minute)}`;
}

/** Returns whether the runtime knows the time zone. */
export function isTimeZone(timeZone: string): boolean {
  try {
    new Intl.DateTimeFormat("en-US", { timeZone });
    return true;
  } catch {
    return false;
  }
}

/** Returns the day on which a moment falls in a time zone. */
export function toLocalDayNumber(moment: number, timeZone: string): number {
  return Math.floor(toLocalMs(moment, timeZone) / dayMs);
}

/**
 * Returns the moments that have this local time. A clock change can make that none or two, and then the time is a
 * question.
 */
export function findMoments(day: Day, { hour, minute }: TimeOfDay, timeZone: string): readonly number[] {
  const local = toDayNumber(day) * dayMs + (hour * 60 + minute) * 60_000;
  const offsets = [-dayMs, 0, dayMs].map((shift) => toLocalMs(local + shift, timeZone) - (local + shift));
  return [...new Set(offsets)]
    .map((offset) => local - offset)
    .filter((at) => toLocalMs(at, timeZone) === local);
}

/** Returns the moment as an ISO 8601 text in UTC. */
export function formatMoment(moment: number): string {
  const inDay = moment - Math.floor(moment / dayMs) * dayMs;
  const minutes = Math.floor(inDay / 60_000);
  return `${formatDay(fromDayNumber(Math.floor(moment / dayMs)))}T${pad(Math.floor(minutes / 60))}:${pad(minutes % 60)}:00Z`;
}

/** Returns the local time of a moment, written as milliseconds as if it were UTC. */
function toLocalMs(moment: number, timeZone: string): number {
  const parts = new Intl.DateTimeFormat("en-US", {
    timeZone,
    hourCycle: "h23",
    year: "numeric",
    month: "numeric",
    day: "numeric",
    hour: "numeric",
    minute: "numeric",
    second: "numeric",
  }).formatToParts(moment);
  const read = (type: string) => Number(parts.find((part) => part.type === type)?.value);
  const days = toDayNumber({ year: read("year"), month: read("month"), day: read("day") });
  return days * dayMs + ((read("hour") * 60 + read("minute")) * 60 + read("second")) * 1_000;
}

function pad(value: number): string {
  return String(value).padStart(2, "0");
}
