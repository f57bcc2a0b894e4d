import ICAL from "ical.js";
import { describe, expect, it } from "vitest";
import { parseLocal } from "../time/format.ts";
import { listOccurrences, parseEvent } from "./event.ts";
import { UnreadableEvent } from "./jcal.ts";
import { ExpansionBudget, expandRule, readRule } from "./rule.ts";

const local = (text: string) => parseLocal(text)!.local;

/** Expands the rule text as ical.js parses it. */
function expand(text: string, start: string, { from = start, to = "2040-01-01" } = {}): string[] {
  const [, , , raw] = ICAL.parse.property(`RRULE:${text}`) as unknown as [string, object, string, never];
  const rule = readRule(raw, (until) => local(until.replace(/Z$/, "")));
  return expandRule(rule, local(start), { from: local(from), to: local(to) }, new ExpansionBudget()).map(
    (each) => new Date(each).toISOString().slice(0, 16),
  );
}

/** The first occurrences by the iterator of ical.js, which has no limits but knows the same rules. */
function expandByLibrary(text: string, start: string, count: number): string[] {
  const iterator = ICAL.Recur.fromString(text).iterator(ICAL.Time.fromDateTimeString(`${start}:00`));
  const found: string[] = [];
  for (let next = iterator.next(); next && found.length < count; next = iterator.next())
    found.push(next.toString().slice(0, 16));
  return found;
}

it.each([
  ["FREQ=DAILY", "2026-02-26T09:00"],
  ["FREQ=DAILY;INTERVAL=3;COUNT=20", "2026-02-26T09:00"],
  ["FREQ=DAILY;BYMONTH=1,3;UNTIL=20270120T000000Z", "2026-01-26T09:00"],
  ["FREQ=WEEKLY", "2026-11-20T14:00"],
  ["FREQ=WEEKLY;BYDAY=MO,WE,FR;INTERVAL=2", "2026-11-20T14:00"],
  ["FREQ=WEEKLY;BYDAY=SU,TU;INTERVAL=2;WKST=SU", "2026-11-22T14:00"],
  ["FREQ=WEEKLY;BYDAY=TU,SU;INTERVAL=2;WKST=MO;COUNT=12", "2026-11-17T14:00"],
  ["FREQ=MONTHLY", "2026-01-31T14:00"],
  ["FREQ=MONTHLY;BYMONTHDAY=-1", "2026-01-31T14:00"],
  ["FREQ=MONTHLY;BYDAY=2TU", "2026-01-13T14:00"],
  ["FREQ=MONTHLY;BYDAY=-1FR;COUNT=30", "2026-01-30T14:00"],
  ["FREQ=MONTHLY;BYDAY=MO,TU,WE,TH,FR;BYSETPOS=-1", "2026-01-30T14:00"],
  ["FREQ=MONTHLY;BYDAY=FR;BYMONTHDAY=13", "2026-02-13T14:00"],
  ["FREQ=YEARLY;BYMONTH=3;BYDAY=-1SU", "2026-03-29T02:00"],
  ["FREQ=YEARLY;INTERVAL=2;BYMONTH=1,6", "2026-01-15T02:00"],
  ["FREQ=YEARLY;BYYEARDAY=1,100,-1", "2026-01-01T02:00"],
])("expands %s as ical.js does", (rule, start) => {
  const count = rule.startsWith("FREQ=YEARLY") ? 10 : 40;
  const expected = expandByLibrary(rule, start, count);
  expect(expected.length).toBeGreaterThan(8 / (rule.includes("INTERVAL=2;BYMONTH") ? 2 : 1) - 1);
  expect(expand(rule, start, { to: "2080-01-01" }).slice(0, count)).toEqual(expected);
});

it("a window in the middle of a series gives the same occurrences as the whole series", () => {
  for (const rule of [
    "FREQ=WEEKLY;INTERVAL=3;BYDAY=MO,FR",
    "FREQ=MONTHLY;BYMONTHDAY=31",
    "FREQ=DAILY;COUNT=900",
  ]) {
    const window = { from: "2027-03-01", to: "2027-09-01" };
    const all = expand(rule, "2025-01-31T09:00", { to: window.to });
    expect(expand(rule, "2025-01-31T09:00", window)).toEqual(all.filter((each) => each >= window.from));
  }
});

it("an occurrence on 29 February takes place only in leap years (RFC 5545, 3.3.10)", () => {
  const days = expand("FREQ=YEARLY", "2024-02-29T14:00", { to: "2033-01-01" });
  expect(days).toEqual(["2024-02-29T14:00", "2028-02-29T14:00", "2032-02-29T14:00"]);
});

describe("[TRUST 24] a hostile rule ends", () => {
  it.each([
    "FREQ=SECONDLY",
    "FREQ=MINUTELY;COUNT=999999",
    "FREQ=DAILY;BYHOUR=0,1,2,3,4,5",
    "FREQ=YEARLY;BYWEEKNO=20",
    "FREQ=YEARLY;BYDAY=60MO",
    "FREQ=DAILY;COUNT=-1",
  ])("%s is refused", (rule) => {
    expect(() => expand(rule, "2026-01-01T09:00")).toThrow();
  });

  it.each([
    "FREQ=DAILY;BYMONTH=2;BYMONTHDAY=31",
    "FREQ=MONTHLY;BYMONTH=2;BYMONTHDAY=30",
    "FREQ=YEARLY;BYMONTH=4;BYMONTHDAY=31",
  ])("%s matches nothing", (rule) => {
    expect(expand(rule, "1970-01-01T09:00", { to: "2199-12-31" })).toEqual([]);
  });

  it("many rules share one budget", () => {
    const data = [
      "BEGIN:VCALENDAR",
      "BEGIN:VEVENT",
      "UID:a",
      "DTSTART:19700101T000000Z",
      "RRULE:FREQ=YEARLY;BYDAY=SU",
      "END:VEVENT",
      "END:VCALENDAR",
    ].join("\r\n");
    const event = parseEvent({ id: "a", etag: "", data }, "UTC");
    const budget = new ExpansionBudget(100_000);
    const window = { from: Date.UTC(2150, 0, 1), to: Date.UTC(2199, 0, 1) };
    expect(() => {
      for (let n = 0; n < 10; n++) listOccurrences(event, window, budget);
    }).toThrow(UnreadableEvent);
  });
});

it("[TRUST 30] an event with more dates than Paraph reads is refused, because its series would be another one", () => {
  const data = (days: number) => {
    const dates = Array.from({ length: days }, (_, day) =>
      new Date(Date.UTC(2000, 0, 1 + day)).toISOString().slice(0, 10).replaceAll("-", ""),
    );
    const event = ["UID:a", "DTSTART;VALUE=DATE:20000101", "RRULE:FREQ=DAILY"];
    const exceptions = `EXDATE;VALUE=DATE:${dates.join(",")}`;
    return ["BEGIN:VCALENDAR", "BEGIN:VEVENT", ...event, exceptions, "END:VEVENT", "END:VCALENDAR"].join(
      "\r\n",
    );
  };
  const parse = (days: number) => parseEvent({ id: "a", etag: "", data: data(days) }, "UTC");
  expect(parse(5_000).excluded.size).toBe(5_000);
  expect(() => parse(5_001)).toThrow(UnreadableEvent);
});
