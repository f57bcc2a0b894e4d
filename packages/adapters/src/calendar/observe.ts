import {
  CapabilityError,
  type JsonObject,
  type Observation,
  type ObservationPage,
  type ObserveContext,
  sha256Hex,
} from "@paraph/core";
import { formatCursor, parseCursor, toObservationId } from "../observe-cursor.ts";
import { toJson } from "./capabilities/inputs.ts";
import { type CalendarContext, type ConfiguredCalendar, listCalendars } from "./context.ts";
import { listEtags, readCollectionTag, readResources } from "./dav/dav-client.ts";
import { isCancelled, readAttendees, readTitle, toTimesOutput } from "./ical/details.ts";
import { parseEvent } from "./ical/event.ts";
import { UnreadableEvent } from "./ical/jcal.ts";

/** The known state of one calendar: its tag, and a mark of each event by its id. */
interface KnownCalendar {
  readonly tag: string | null;
  readonly marks: readonly (readonly [id: string, mark: string])[];
}

type Known = { readonly [calendar: string]: KnownCalendar };

const batchSize = 100;
const maxEvents = 10_000;

/**
 * Returns a function that reports the events that changed since the cursor. The cursor contains a mark of every event.
 * The first poll of a calendar only records its events. Calendars that agents may not read are not observed.
 */
export function createCalendarObserver(
  calendarContext: CalendarContext,
): (cursor: string | undefined, context: ObserveContext) => Promise<ObservationPage> {
  const calendars = listCalendars(calendarContext).filter(({ access }) => access !== "busy");
  return async (cursor, context) => {
    const known = cursor === undefined ? {} : parseCursor<Known>(cursor);
    const observations: Observation[] = [];
    const next: Record<string, KnownCalendar> = {};
    let more = false;
    for (const calendar of calendars) {
      context.signal.throwIfAborted();
      const before = Object.hasOwn(known, calendar.name) ? known[calendar.name] : undefined;
      const page = await observeCalendar(
        calendarContext,
        calendar,
        before,
        batchSize - observations.length,
        context,
      );
      next[calendar.name] = page.known;
      observations.push(...page.observations);
      more ||= page.more;
    }
    return { observations, cursor: formatCursor(next), more };
  };
}

async function observeCalendar(
  calendarContext: CalendarContext,
  calendar: ConfiguredCalendar,
  before: KnownCalendar | undefined,
  room: number,
  context: ObserveContext,
): Promise<{ known: KnownCalendar; observations: Observation[]; more: boolean }> {
  const tag = (await readCollectionTag(calendarContext, calendar, context)) ?? null;
  if (before && tag !== null && before.tag === tag) return { known: before, observations: [], more: false };
  const etags = await listEtags(calendarContext, calendar, context);
  if (etags.size > maxEvents)
    throw new CapabilityError(
      "permanent",
      "too-many-events",
      `The calendar \`${calendar.name}\` has more than ${maxEvents} events. Move old events to another calendar.`,
    );
  const marks = new Map([...etags].map(([id, etag]) => [id, sha256Hex(etag).slice(0, 16)]));
  if (!before) return { known: { tag, marks: [...marks] }, observations: [], more: false };
  const seen = new Map(before.marks);
  const changed = [...new Set([...seen.keys(), ...marks.keys()])]
    .filter((id) => seen.get(id) !== marks.get(id))
    .sort();
  const batch = changed.slice(0, Math.max(0, room));
  const contents = await readContents(
    calendarContext,
    calendar,
    batch.filter((id) => marks.has(id)),
    context,
  );
  const observations = batch.map((id): Observation => {
    const [mark, earlier] = [marks.get(id), seen.get(id)];
    if (mark === undefined) seen.delete(id);
    else seen.set(id, mark);
    const kind = mark === undefined ? "event.deleted" : earlier ? "event.changed" : "event.created";
    return {
      id: toObservationId(calendar.name, kind, id, mark ?? earlier ?? ""),
      kind,
      subject: `${calendar.name}/${id}`,
      data: { calendar: calendar.name, event: id, ...contents.get(id) },
    };
  });
  const more = batch.length < changed.length;
  // While changes are left, the cursor has no tag, so that the next poll compares again.
  return { known: { tag: more ? null : tag, marks: [...seen] }, observations, more };
}

async function readContents(
  calendarContext: CalendarContext,
  calendar: ConfiguredCalendar,
  ids: readonly string[],
  context: ObserveContext,
): Promise<Map<string, JsonObject>> {
  if (ids.length === 0) return new Map();
  const resources = await readResources(calendarContext, calendar, ids, context);
  return new Map(resources.map((resource) => [resource.id, describe(resource, calendar)]));
}

function describe(resource: Parameters<typeof parseEvent>[0], { timeZone }: ConfiguredCalendar): JsonObject {
  try {
    const { main, times, isSeries } = parseEvent(resource, timeZone);
    return toJson({
      title: readTitle(main),
      ...toTimesOutput(times),
      ...(isSeries && { repeats: true }),
      ...(isCancelled(main) && { cancelled: true }),
      people: readAttendees(main)
        .slice(0, 50)
        .map(({ email, answer }) => ({ email, answer })),
    });
  } catch (error) {
    if (!(error instanceof UnreadableEvent)) throw error;
    return { unreadable: true };
  }
}
