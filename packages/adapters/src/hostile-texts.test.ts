import { expect, it } from "vitest";
import { parseMultistatus } from "./calendar/dav/multistatus.ts";
import { listOccurrences, parseEvent } from "./calendar/ical/event.ts";
import { previewPatch } from "./coding-agent/patch-preview.ts";
import { isUnsafePathSegment } from "./egress/canonical-url.ts";
import { identInput } from "./git/commits/ident.ts";
import { isParaphFolder } from "./paraph-folder.ts";

const long = 300_000;

it.each<[string, () => unknown]>([
  ["the name of an author", () => identInput.safeParse({ name: `${"a".repeat(long)}\u0001`, email: "a@b" })],
  ["the address of an author", () => identInput.safeParse({ name: "a", email: `${"a".repeat(long)} ` })],
  ["a line before a patch", () => previewPatch(`${" ".repeat(long)}x\n*** Add File: a\n+1`)],
  ["the path in a patch", () => previewPatch(`*** Add File: a${" ".repeat(long)}b\n+1`)],
  ["the name of a file", () => isParaphFolder(`${".".repeat(long)}a`)],
  ["a value for the path of a URL", () => isUnsafePathSegment(`%${"25".repeat(30_000)}`)],
])("[TRUST 24] reading %s of an agent takes less than 1 s of CPU time", (_what, read) => {
  expect(measureCpu(read)).toBeLessThan(1_000);
});

it.each<[string, () => unknown]>([
  [
    "the line ends",
    () => parseMultistatus(`<D:multistatus xmlns:D="DAV:">${"\r\n".repeat(240_000)}</D:multistatus>`),
  ],
  ["an event that names its long zone often", () => listMeetings({ start: ";TZID=Own:19900101T100000" })],
  ["an event in many years of its long zone", () => listMeetings({ start: ":19900101T100000Z" })],
])(
  "[TRUST 24] reading %s in the answer of a calendar server takes less than 10 s of CPU time",
  (_what, read) => {
    expect(measureCpu(read)).toBeLessThan(10_000);
  },
);

/** Returns the milliseconds of CPU time. A fault is as good as an answer. */
function measureCpu(read: () => unknown): number {
  const from = process.cpuUsage();
  try {
    read();
  } catch (error) {
    if (error instanceof RangeError) throw error;
  }
  const { user, system } = process.cpuUsage(from);
  return (user + system) / 1_000;
}

/** Lists the occurrences of a series with exceptions in a zone of the event, whose offset changes 4,000 times. */
function listMeetings({ start }: { readonly start: string }) {
  const listTimes = (count: number, days: number) =>
    Array.from({ length: count }, (_, index) =>
      new Date(Date.UTC(1990, 0, 1 + days * index)).toISOString().slice(0, 19).replaceAll(/[-:]/g, ""),
    );
  const data = [
    ...["BEGIN:VCALENDAR", "BEGIN:VTIMEZONE", "TZID:Own", "BEGIN:STANDARD", "DTSTART:19700101T000000"],
    ...["TZOFFSETFROM:+0100", "TZOFFSETTO:+0200", `RDATE:${listTimes(4_000, 1).join(",")}`],
    ...["END:STANDARD", "END:VTIMEZONE", "BEGIN:VEVENT", "UID:a", `DTSTART${start}`],
    ...["RRULE:FREQ=DAILY", ...listTimes(3_000, 25).map((time) => `EXDATE;TZID=Own:${time}`)],
    ...["END:VEVENT", "END:VCALENDAR"],
  ].join("\r\n");
  const event = parseEvent({ id: "a", etag: '"1"', data }, "Europe/Berlin");
  return listOccurrences(event, { from: Date.UTC(2026, 0, 1), to: Date.UTC(2026, 3, 1) });
}
