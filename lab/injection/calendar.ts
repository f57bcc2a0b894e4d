import { caldav } from "@paraph/adapters/calendar";
import type { ReceivedRequest } from "../../packages/adapters/src/egress/testing/http-server.ts";
import { openTestAdapter } from "../../packages/adapters/src/egress/testing/open-adapter.ts";
import { createStage } from "./http.ts";
import type { InjectionTarget } from "./target.ts";

/** The properties of the event that the stage schedules. A hostile value must not add another one. */
const expectedProperties = new Set([
  ...[
    "BEGIN",
    "END",
    "VERSION",
    "PRODID",
    "UID",
    "DTSTAMP",
    "CREATED",
    "LAST-MODIFIED",
    "SEQUENCE",
    "STATUS",
  ],
  ...["SUMMARY", "DTSTART", "DTEND", "LOCATION", "DESCRIPTION", "ORGANIZER", "ATTENDEE", "X-PARAPH-CALL"],
]);

const eventTarget: InjectionTarget = {
  name: "calendar: an event",
  share: 10,
  prepare: () =>
    createStage(
      (site) =>
        openTestAdapter(
          caldav({
            timeZone: "UTC",
            // biome-ignore lint/suspicious/noTemplateCurlyInString: this is how a configuration names a secret.
            credential: { token: "${TOKEN}" },
            allow: [site.host],
            calendars: {
              ana: { url: `${site.origin}/ana/`, person: "ana@example.com", access: "write" },
            },
          }),
          "/",
          { TOKEN: "calendar-token" },
        ),
      (api, _site, value) => {
        const event = { calendar: "ana", title: "x", start: "2026-11-20T15:00" };
        return [
          api.perform("event", { calendar: "ana", event: value }),
          api.perform("events", { calendar: value, from: "2026-11-20", to: value }),
          api.perform("schedule", { ...event, title: value, location: value, description: value }),
          api.perform("schedule", { ...event, attendees: [{ email: "jon@example.com", name: value }] }),
          api.perform("schedule", { ...event, attendees: [{ email: value }], timeZone: value }),
        ];
      },
      findEscape,
      ({ method }, response) => {
        if (method === "REPORT")
          response.writeHead(207).end('<D:multistatus xmlns:D="DAV:"></D:multistatus>');
        else response.writeHead(method === "PUT" ? 201 : 404, { etag: '"1"' }).end();
      },
    ),
};

function findEscape({ method, path, body }: ReceivedRequest): string | undefined {
  if (!/^\/ana\/[^/?#]*$/.test(path) || /^\/ana\/\.{1,2}$/.test(decodeURIComponent(path)))
    return "a request left the calendar";
  if (method !== "PUT") return undefined;
  const lines = body
    .replaceAll(/\r\n[ \t]/g, "")
    .trimEnd()
    .split("\r\n");
  const isExpected = lines.every(
    (line) => !/[\r\n]/.test(line) && expectedProperties.has(/^[A-Z-]+/.exec(line)?.[0] ?? ""),
  );
  const people = lines.filter((line) => line.startsWith("ATTENDEE"));
  return isExpected && people.length <= 1 ? undefined : "a value became another property";
}

export const calendarTargets: readonly InjectionTarget[] = [eventTarget];
