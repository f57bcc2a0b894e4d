import fc from "fast-check";
import { expect, it } from "vitest";
import { textInput } from "../capabilities/inputs.ts";
import { readAttendees, readTitle } from "./details.ts";
import { parseEvent } from "./event.ts";
import { createZone } from "./event-zone.ts";
import {
  formatCalendarObject,
  listComponents,
  maxEventBytes,
  parseCalendarObject,
  readText,
  UnreadableEvent,
} from "./jcal.ts";
import { createCalendarObject, type NewEvent } from "./write-event.ts";

const times = { start: Date.UTC(2026, 10, 20, 15), end: Date.UTC(2026, 10, 20, 16), isDate: false };
const event: NewEvent = {
  ...{
    uid: "u",
    mark: "m",
    title: "t",
    now: Date.UTC(2026, 10, 1),
    times: { ...times, zone: createZone("Europe/Berlin") },
  },
  ...{
    organizer: { email: "ana@example.com", name: "Ana" },
    attendees: [{ email: "jon@example.com", name: "Jon", optional: false }],
  },
};
const names = (text: string) =>
  text
    .replaceAll(/\r\n[ \t]/g, "")
    .split("\r\n")
    .map((line) => /^[A-Z-]*/.exec(line)![0]);

const nasty = fc.string({
  unit: fc.oneof(
    fc.constantFrom(..."\r\n\t;:,\\\"^'=“ \u0085\u2028\u0000e\u0301"),
    fc.constantFrom("\r\nATTENDEE:mailto:x@y.z", "\nEND:VEVENT", "\\n", "^n", "^'", "BEGIN:VALARM", "\ud800"),
    fc.string({ unit: "grapheme", minLength: 1, maxLength: 30 }),
  ),
  maxLength: 40,
});

it("[TRUST 30] accepted texts come back unchanged, and never become another property", () => {
  const expected = names(
    formatCalendarObject(createCalendarObject({ ...event, location: "l", description: "d" })),
  );
  let accepted = 0;
  fc.assert(
    fc.property(nasty, nasty, nasty, (one, two, many) => {
      const [title, name] = [one, two].map((each) => textInput(300, "one").safeParse(each).data);
      const description = textInput(8_000, "many").safeParse(many).data;
      if (!title || !name || !description || /["\\]/.test(name)) return;
      accepted += 1;
      const attendees = [{ email: "jon@example.com", name, optional: false }];
      const text = formatCalendarObject(
        createCalendarObject({ ...event, title, location: title, description, attendees }),
      );
      expect(names(text)).toEqual(expected);
      const [read] = listComponents(parseCalendarObject(text), "vevent");
      expect(readText(read!, "summary")).toBe(title);
      expect(readText(read!, "description")).toBe(description);
      expect(readTitle(read!)).toBe(title.replaceAll(/\s+/g, " ").trim() || "(no title)");
      expect(readAttendees(read!)).toEqual([
        {
          email: "jon@example.com",
          name: name.slice(0, 100).replaceAll(/\s+/g, " ").trim(),
          answer: "undecided",
        },
      ]);
    }),
    { seed: 20, numRuns: 2_000 },
  );
  expect(accepted).toBeGreaterThan(100);
});

it("the same event gives the same bytes, with lines that end in CRLF and have at most 75 octets", () => {
  const text = formatCalendarObject(createCalendarObject({ ...event, description: "ä😀".repeat(200) }));
  expect(formatCalendarObject(createCalendarObject({ ...event, description: "ä😀".repeat(200) }))).toBe(text);
  expect(text.split("\r\n").every((line) => Buffer.byteLength(line) <= 75 && !line.includes("\n"))).toBe(
    true,
  );
  expect(formatCalendarObject(parseCalendarObject(text))).toBe(text);
});

it("[TRUST 29] hostile iCalendar data is unreadable, quickly", () => {
  const wrap = (...lines: string[]) =>
    ["BEGIN:VCALENDAR", "BEGIN:VEVENT", "UID:a", ...lines, "END:VEVENT", "END:VCALENDAR"].join("\r\n");
  const hostile = [
    "",
    "x".repeat(maxEventBytes + 1),
    "BEGIN:X\r\n".repeat(20_000),
    `BEGIN:VCALENDAR\r\n${"BEGIN:VEVENT\r\nEND:VEVENT\r\n".repeat(5_000)}END:VCALENDAR`,
    "END:VCALENDAR\r\nBEGIN:VCALENDAR",
    wrap(),
    wrap("DTSTART:99991231T235959Z"),
    wrap("DTSTART:20261320T000000Z"),
    wrap("DTSTART;TZID=__proto__:20261120T000000"),
    wrap("DTSTART:20261120T000000Z", "DTEND:20261119T000000Z"),
    wrap("DTSTART:20261120T000000Z", "DURATION:P99999999999999D"),
    wrap("DTSTART:20261120T000000Z", `ATTENDEE;${"X=".repeat(50_000)}:mailto:a@b.c`, "RRULE:FREQ=SECONDLY"),
    wrap("DTSTART:20261120T000000Z", "RRULE:FREQ=DAILY", "RRULE:FREQ=WEEKLY"),
  ];
  for (const data of hostile)
    expect(() => parseEvent({ id: "a", etag: "", data }, "UTC")).toThrow(UnreadableEvent);
});
