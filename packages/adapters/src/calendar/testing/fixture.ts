import { mkdtemp, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { caldav } from "../index.ts";
import { type Radicale, radicalePassword, replaceCalendar, startRadicale } from "./radicale.ts";

export const testCalendars = ["ana", "jon"] as const;

/** The secrets of the configuration below. */
export const testSecrets = { CALDAV_PASSWORD: radicalePassword };

/** Ana works in Berlin, and agents may change her calendar. Of Jon, in New York, they learn only when he is busy. */
export function createTestConfig(radicale: Pick<Radicale, "host" | "url">): Parameters<typeof caldav>[0] {
  return {
    timeZone: "Europe/Berlin",
    domains: ["example.com"],
    // biome-ignore lint/suspicious/noTemplateCurlyInString: this is how a configuration names a secret.
    credential: { user: "paraph", password: "${CALDAV_PASSWORD}" },
    allow: [radicale.host],
    calendars: {
      ana: { url: radicale.url("ana"), person: "ana@example.com", displayName: "Ana Berg", access: "write" },
      jon: {
        url: radicale.url("jon"),
        person: "jon@example.com",
        access: "busy",
        timeZone: "America/New_York",
        workingHours: { from: "08:00", to: "16:00" },
      },
    },
  };
}

interface MeetingOptions {
  readonly uid?: string;
  readonly title?: string;
  readonly start?: string;
  readonly end?: string;
  readonly rule?: string;
  readonly organizer?: string;
  readonly more?: readonly string[];
}

/** The lines of a meeting as a calendar program writes them: on 20 November 2026 at 14:00 in Berlin, for one hour. */
export function meeting({
  uid = "review",
  title = "Review with Jon",
  start = "20261120T140000",
  end,
  rule,
  organizer = "ana@example.com",
  more = [],
}: MeetingOptions = {}): string[] {
  const hour = String(Number(start.slice(9, 11)) + 1).padStart(2, "0");
  return [
    "BEGIN:VEVENT",
    `UID:${uid}`,
    "DTSTAMP:20261101T000000Z",
    "SEQUENCE:3",
    `SUMMARY:${title}`,
    `DTSTART;TZID=Europe/Berlin:${start}`,
    `DTEND;TZID=Europe/Berlin:${end ?? `${start.slice(0, 9)}${hour}${start.slice(11)}`}`,
    ...(rule === undefined ? [] : [`RRULE:${rule}`]),
    `ORGANIZER:mailto:${organizer}`,
    "ATTENDEE;PARTSTAT=ACCEPTED:mailto:jon@example.com",
    "ATTENDEE;CN=Ana Berg;PARTSTAT=NEEDS-ACTION:mailto:ana@example.com",
    ...more,
    "END:VEVENT",
  ];
}

/** Stores the events with which tests start: a meeting, a weekly series, an invitation, and a meeting of Jon. */
export async function resetTestCalendars(radicale: Radicale): Promise<void> {
  const series = { uid: "weekly", title: "Weekly", start: "20261116T100000" };
  await replaceCalendar(radicale, "ana", [
    ...meeting(),
    ...meeting({ ...series, rule: "FREQ=WEEKLY;BYDAY=MO;COUNT=4" }),
    ...meeting({
      uid: "invitation",
      title: "Pitch",
      start: "20261125T110000",
      organizer: "eve@else.example",
    }),
  ]);
  const secret = { uid: "secret", title: "Secret project", start: "20261120T170000" };
  await replaceCalendar(radicale, "jon", meeting({ ...secret, organizer: "jon@example.com" }));
}

const volatile = /^(?:DTSTAMP|LAST-MODIFIED|CREATED|SEQUENCE|UID|X-PARAPH-CALL|X-RADICALE-NAME)[:;]/;

/** Returns the events of all calendars as text, without what changes from one run to the next. */
export async function listTestEvents(radicale: Radicale): Promise<string> {
  const lists = await Promise.all(
    testCalendars.map(async (name) => {
      const { text } = await radicale.send("GET", `${name}/`);
      const events = text.replaceAll(/\r?\n[ \t]/g, "").match(/^BEGIN:VEVENT$.*?^END:VEVENT$/gms) ?? [];
      const cleaned = events.map((event) =>
        event
          .split(/\r?\n/)
          .filter((line) => !volatile.test(line))
          .map((line) => line.replace(";SCHEDULE-AGENT=CLIENT", ""))
          .sort()
          .join("\n"),
      );
      return [name, ...cleaned.sort()].join("\n");
    }),
  );
  return lists.join("\n");
}

/** Starts Radicale in a new folder, which is removed when the server closes. */
export async function startTestServer(): Promise<Radicale> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), "paraph-radicale-")));
  const radicale = await startRadicale(folder, testCalendars);
  return {
    ...radicale,
    async [Symbol.asyncDispose]() {
      await radicale[Symbol.asyncDispose]();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
