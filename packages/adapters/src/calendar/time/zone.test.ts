import { expect, it } from "vitest";
import { readEventZone } from "../ical/event-zone.ts";
import { formatCalendarObject, type JComponent, parseCalendarObject } from "../ical/jcal.ts";
import { ExpansionBudget } from "../ical/rule.ts";
import { createVtimezone } from "./vtimezone.ts";
import { dayMs, isLocalTime, readZone, toLocal, toUtc } from "./zone.ts";

const zones = [
  ...["Europe/Berlin", "America/New_York", "Asia/Kolkata", "Africa/Casablanca"],
  ...["Australia/Lord_Howe", "Europe/Dublin", "America/St_Johns", "Pacific/Apia", "America/Sao_Paulo"],
];
const start = Date.UTC(2026, 10, 20, 14);

it.each(zones)("the definition of %s gives the zone's own times, and the same bytes each time", (zone) => {
  const definition = createVtimezone(zone, start);
  expect(createVtimezone(zone, start)).toEqual(definition);
  // Under a name that is no IANA zone, only the definition can tell the offsets.
  const renamed = structuredClone(definition);
  renamed[1][0]![3] = "Our zone";
  const calendar: JComponent = ["vcalendar", [], [renamed]];
  const read = parseCalendarObject(formatCalendarObject(calendar));
  const defined = readEventZone("Our zone", read, new ExpansionBudget(50_000_000));
  for (let utc = start - 200 * dayMs; utc < start + 8 * 365 * dayMs; utc += 3.37 * dayMs) {
    const at = Math.floor(utc / 60_000) * 60_000;
    expect([new Date(at).toISOString(), defined.toLocal(at)]).toEqual([
      new Date(at).toISOString(),
      toLocal(at, zone),
    ]);
  }
});

it("describes zones with regular changes by two rules", () => {
  expect(formatCalendarObject(createVtimezone("Europe/Berlin", start)).split("\r\n")).toEqual([
    ...["BEGIN:VTIMEZONE", "TZID:Europe/Berlin"],
    ...["BEGIN:DAYLIGHT", "DTSTART:20250330T020000", "TZOFFSETFROM:+0100", "TZOFFSETTO:+0200"],
    ...["RRULE:FREQ=YEARLY;BYMONTH=3;BYDAY=-1SU", "END:DAYLIGHT"],
    ...["BEGIN:STANDARD", "DTSTART:20251026T030000", "TZOFFSETFROM:+0200", "TZOFFSETTO:+0100"],
    ...["RRULE:FREQ=YEARLY;BYMONTH=10;BYDAY=-1SU", "END:STANDARD", "END:VTIMEZONE", ""],
  ]);
});

it("a skipped local time is none, and a repeated one is the first (RFC 5545)", () => {
  expect(isLocalTime(Date.UTC(2026, 2, 29, 2, 30), "Europe/Berlin")).toBe(false);
  expect(new Date(toUtc(Date.UTC(2026, 2, 29, 2, 30), "Europe/Berlin")).toISOString()).toBe(
    "2026-03-29T01:30:00.000Z",
  );
  expect(new Date(toUtc(Date.UTC(2026, 9, 25, 2, 30), "Europe/Berlin")).toISOString()).toBe(
    "2026-10-25T00:30:00.000Z",
  );
});

it("[TRUST 30] a zone has one spelling, and an offset is no zone", () => {
  expect([readZone("europe/berlin"), readZone("Etc/UTC"), readZone("utc")]).toEqual([
    "Europe/Berlin",
    "UTC",
    "UTC",
  ]);
  for (const raw of ["+01:00", "Europe/Nowhere", "", "Europe/Berlin\n"])
    expect(() => readZone(raw)).toThrow();
});
