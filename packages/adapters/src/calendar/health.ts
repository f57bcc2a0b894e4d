import { CapabilityError, type Health } from "@paraph/core";
import { type CalendarContext, listCalendars, type RequestContext } from "./context.ts";
import { readCollectionTag } from "./dav/dav-client.ts";

/** Asks the server for every calendar. Without the deployment's secret, health says only that the server answers. */
export async function checkCalendarHealth(
  calendarContext: CalendarContext,
  context: RequestContext,
): Promise<Health> {
  for (const calendar of listCalendars(calendarContext)) {
    try {
      await readCollectionTag(calendarContext, calendar, context);
    } catch (error) {
      const code = error instanceof CapabilityError ? error.code : "unreachable";
      // Faults of a login contain no text of a server, and say what to correct.
      const advice =
        error instanceof CapabilityError && /^(?:oauth|token)-/.test(code)
          ? error.message
          : "Check its `url` and its credential.";
      return {
        kind: "degraded",
        code,
        message: `Paraph cannot read the calendar \`${calendar.name}\` (${code}). ${advice}`,
      };
    }
  }
  return { kind: "well" };
}
