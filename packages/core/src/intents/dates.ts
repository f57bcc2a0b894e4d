import {
  type Day,
  fromDayNumber,
  type TimeOfDay,
  toDay,
  toDayNumber,
  toLocalDayNumber,
  toWeekday,
} from "./calendar.ts";

/** A day or a time of day that the words name, and the number of words that name it. */
export interface ReadDate {
  readonly length: number;
  /** The possible days. More than one day, or none, makes the date a question. */
  readonly days?: readonly Day[];
  readonly time?: TimeOfDay;
  /** A part of the day, such as `afternoon`. Its exact time is a question. */
  readonly part?: DayPart;
}

/** A part of a day. */
export type DayPart = "morning" | "afternoon" | "evening";

/** The moment and the place of the requester. Without a time zone, relative days have no meaning. */
export interface DateContext {
  readonly now: number;
  readonly timeZone?: string | undefined;
}

const months = [
  "january januar enero jan",
  "february februar febrero feb",
  "march märz marzo mar",
  "april abril apr",
  "may mai mayo",
  "june juni junio jun",
  "july juli julio jul",
  "august agosto aug",
  "september septiembre sep",
  "october oktober octubre oct",
  "november noviembre nov",
  "december dezember diciembre dec",
].map((line) => line.split(" "));

const weekdays = [
  "monday montag lunes",
  "tuesday dienstag martes",
  "wednesday mittwoch miércoles",
  "thursday donnerstag jueves",
  "friday freitag viernes",
  "saturday samstag sábado",
  "sunday sonntag domingo",
].map((line) => line.split(" "));

const relativeDays = new Map([
  ...["today", "heute", "hoy"].map((word) => [word, 0] as const),
  ...["tomorrow", "morgen", "mañana"].map((word) => [word, 1] as const),
  ...["yesterday", "gestern", "ayer"].map((word) => [word, -1] as const),
  ...["übermorgen"].map((word) => [word, 2] as const),
]);

const dayParts = new Map<string, DayPart>([
  ...["morning", "vormittag"].map((word) => [word, "morning"] as const),
  ...["afternoon", "nachmittag", "tarde"].map((word) => [word, "afternoon"] as const),
  ...["evening", "abend", "noche"].map((word) => [word, "evening"] as const),
]);
const articles = new Set(["the", "den", "la"]);

const nextWords = new Set(["next", "nächsten", "nächster", "nächste", "próximo", "próxima"]);

/** Returns the date or time that begins at the first word, or undefined if none does. `words` must not be empty. */
export function readDate(words: readonly string[], context: DateContext): ReadDate | undefined {
  return (
    readTime(words) ??
    readDayPart(words) ??
    readRelativeDay(words, context) ??
    readWeekday(words, context) ??
    readDay(words, context)
  );
}

/** Reads `at 14:30`, `at 3 pm`, `um 15 Uhr` or `a las 15`. A bare number is no time. */
function readTime(words: readonly string[]): ReadDate | undefined {
  const offset = words[0] === "a" && words[1] === "las" ? 2 : words[0] === "at" || words[0] === "um" ? 1 : 0;
  const text = words[offset] ?? "";
  const match = /^(\d{1,2})(?:[:.](\d{2}))?\s*(am|pm|h)?$/.exec(text);
  if (!match) return undefined;
  const suffix =
    match[3] ?? (["am", "pm", "uhr"].includes(words[offset + 1] ?? "") ? words[offset + 1] : undefined);
  const length = offset + (match[3] === undefined && suffix !== undefined ? 2 : 1);
  const isClock = text.includes(":") || suffix !== undefined || (offset > 0 && words[0] !== "at");
  if (!isClock) return undefined;
  const hour = Number(match[1]);
  const minute = Number(match[2] ?? 0);
  const isTwelve = suffix === "am" || suffix === "pm";
  if (minute > 59 || hour > (isTwelve ? 12 : 23) || (isTwelve && hour === 0)) return { length, days: [] };
  const shifted = isTwelve ? (hour % 12) + (suffix === "pm" ? 12 : 0) : hour;
  return { length, time: { hour: shifted, minute } };
}

/** Reads `afternoon` or `the afternoon`. */
function readDayPart(words: readonly string[]): ReadDate | undefined {
  const offset = articles.has(words[0] ?? "") ? 1 : 0;
  const part = dayParts.get(words[offset] ?? "");
  return part && { length: offset + 1, part };
}

function readRelativeDay(words: readonly string[], { now, timeZone }: DateContext): ReadDate | undefined {
  const relative = relativeDays.get(words[0]!);
  const count = /^\d{1,4}$/.test(words[1] ?? "") ? Number(words[1]) : undefined;
  const isInDays =
    ["in", "en"].includes(words[0]!) &&
    ["days", "day", "tagen", "tag", "días", "día"].includes(words[2] ?? "");
  const shift = relative ?? (isInDays ? count : undefined);
  if (shift === undefined) return undefined;
  const length = relative === undefined ? 3 : 1;
  if (timeZone === undefined) return { length, days: [] };
  return { length, days: [fromDayNumber(toLocalDayNumber(now, timeZone) + shift)] };
}

/**
 * Reads `Friday` as the next Friday after today. If today is that day, or `next Friday` could mean this week's or next
 * week's Friday, both days are possible.
 */
function readWeekday(words: readonly string[], { now, timeZone }: DateContext): ReadDate | undefined {
  const offset = nextWords.has(words[0]!) ? 1 : 0;
  const weekday = weekdays.findIndex((names) => names.includes(words[offset] ?? "")) + 1;
  if (weekday === 0) return undefined;
  const length = offset + 1;
  if (timeZone === undefined) return { length, days: [] };
  const today = toLocalDayNumber(now, timeZone);
  const ahead = (weekday - toWeekday(today) + 7) % 7;
  const isAmbiguous = ahead === 0 || (offset === 1 && weekday > toWeekday(today));
  return {
    length,
    days: (isAmbiguous ? [ahead, ahead + 7] : [ahead]).map((one) => fromDayNumber(today + one)),
  };
}

/** Reads `2026-12-01`, `1.12.2026`, `12/1/2026`, `1 December 2026`, `1. Dezember` or `1 de diciembre de 2026`. */
function readDay(words: readonly string[], context: DateContext): ReadDate | undefined {
  const [first = ""] = words;
  const iso = /^(\d{4})-(\d{2})-(\d{2})$/.exec(first);
  if (iso) return { length: 1, days: toDays([[iso[1], iso[2], iso[3]]]) };
  const german = /^(\d{1,2})\.(\d{1,2})\.(\d{4})$/.exec(first);
  if (german) return { length: 1, days: toDays([[german[3], german[2], german[1]]]) };
  const slashed = /^(\d{1,2})\/(\d{1,2})\/(\d{4})$/.exec(first);
  if (slashed) {
    const [, a, b, year] = slashed;
    const days = toDays([
      [year, a, b],
      [year, b, a],
    ]);
    return { length: 1, days: a === b ? days.slice(0, 1) : days };
  }
  return readNamedMonth(words, context);
}

function readNamedMonth(words: readonly string[], { now, timeZone }: DateContext): ReadDate | undefined {
  const rest = words.map((word) => word.replace(/[.,]$/, ""));
  const dayFirst = /^(\d{1,2})(?:st|nd|rd|th)?$/.exec(rest[0]!);
  let at = dayFirst ? (rest[1] === "de" || rest[1] === "of" ? 2 : 1) : 0;
  const month = months.findIndex((names) => names.includes(rest[at] ?? "")) + 1;
  const dayAfter = dayFirst ?? /^(\d{1,2})(?:st|nd|rd|th)?$/.exec(rest[at + 1] ?? "");
  if (month === 0 || !dayAfter) return undefined;
  at += dayFirst ? 1 : 2;
  const yearAt = rest[at] === "de" ? at + 1 : at;
  const isYear = /^\d{4}$/.test(rest[yearAt] ?? "");
  const day = Number(dayAfter[1]);
  if (isYear) return { length: yearAt + 1, days: toDays([[rest[yearAt], month, day]]) };
  if (timeZone === undefined) return { length: at, days: [] };
  const today = toLocalDayNumber(now, timeZone);
  const { year } = fromDayNumber(today);
  const thisYear = toDay(year, month, day);
  // A day that has passed could mean this year's or next year's.
  const isPast = thisYear !== undefined && toDayNumber(thisYear) < today;
  return {
    length: at,
    days: toDays(
      isPast
        ? [
            [year, month, day],
            [year + 1, month, day],
          ]
        : [[year, month, day]],
    ),
  };
}

type Written = string | number | undefined;

function toDays(written: readonly (readonly [Written, Written, Written])[]): readonly Day[] {
  return written.flatMap(([year, month, day]) => toDay(Number(year), Number(month), Number(day)) ?? []);
}
