import { CapabilityError, type ExecutionContext, type JsonObject, type Probe } from "@paraph/core";
import type { CalendarContext, ConfiguredCalendar } from "../context.ts";
import { type DavResource, deleteResource, readResource, writeResource } from "../dav/dav-client.ts";
import { readTitle, toTimesOutput } from "../ical/details.ts";
import type { CalendarEvent } from "../ical/event.ts";
import {
  formatCalendarObject,
  type JComponent,
  maxEventBytes,
  parseCalendarObject,
  UnreadableEvent,
} from "../ical/jcal.ts";
import { isWrittenBy, toCallMark } from "../ical/write-event.ts";
import { type EventBasis, type EventTarget, eventChangedFault } from "./load-event.ts";

/** The maximum size of an event that a call returns for its undo. */
export const maxUndoBytes = 64 * 1024;

/** The change that a call makes to the server: a new version of the event or none, and perhaps a new event. */
export interface EventChange {
  /** The new version. Undefined deletes the event. */
  readonly next: JComponent | undefined;
  readonly created?: { readonly id: string; readonly object: JComponent };
}

/** The result of a change. */
export interface ChangedEvent {
  /** The new version of the event. Missing if the event was deleted. */
  readonly version?: string;
  readonly created?: string;
  /** The event before the change, for the undo. */
  readonly previous?: string;
}

/**
 * [P7] Makes the change if the event still has its approved version. A new event is created first: after a crash
 * between the two steps, occurrences are there twice until the call runs again, and never missing.
 */
export async function applyChange(
  calendarContext: CalendarContext,
  calendar: ConfiguredCalendar,
  event: CalendarEvent,
  { next, created }: EventChange,
  context: ExecutionContext,
): Promise<ChangedEvent> {
  const data = next && formatChecked(next);
  const createdEtag = created && (await createOnce(calendarContext, calendar, created, context));
  const removeCreated = async () => {
    if (!created || createdEtag === undefined) return;
    const done = "Paraph created the event that continues the series, and changed nothing else.";
    await deleteAfterWrite(done, calendarContext, calendar, { id: created.id, etag: createdEtag }, context);
  };
  let result: Awaited<ReturnType<typeof deleteResource | typeof writeResource>>;
  try {
    result =
      data === undefined
        ? await deleteResource(calendarContext, calendar, event, context)
        : await writeResource(
            calendarContext,
            calendar,
            { id: event.id, data },
            { kind: "same", etag: event.etag },
            context,
          );
  } catch (error) {
    // After an ambiguous fault, the event may be changed, and then it needs the new one.
    if (error instanceof CapabilityError && error.kind !== "ambiguous") await removeCreated();
    throw error;
  }
  const isDone = result === "deleted" || (typeof result === "object" && result.kind === "written");
  if (!isDone) {
    await removeCreated();
    throw eventChangedFault();
  }
  return {
    ...(typeof result === "object" && result.kind === "written" && { version: result.etag }),
    ...(created && { created: created.id }),
    ...(Buffer.byteLength(event.data) <= maxUndoBytes && { previous: event.data }),
  };
}

/** Creates the event, and returns its ETag. An earlier attempt of the same call may have created it. */
async function createOnce(
  calendarContext: CalendarContext,
  calendar: ConfiguredCalendar,
  { id, object }: NonNullable<EventChange["created"]>,
  context: ExecutionContext,
): Promise<string> {
  const resource = { id, data: formatChecked(object) };
  const written = await writeResource(calendarContext, calendar, resource, { kind: "absent" }, context);
  if (written.kind === "written") return written.etag;
  const existing = await readResource(calendarContext, calendar, id, context);
  if (!existing) throw eventChangedFault();
  return existing.etag;
}

/** Deletes an event after this call has written another one, which `done` says. Every fault is therefore ambiguous. */
export async function deleteAfterWrite(
  done: string,
  ...deletion: Parameters<typeof deleteResource>
): ReturnType<typeof deleteResource> {
  try {
    return await deleteResource(...deletion);
  } catch (error) {
    if (!(error instanceof CapabilityError)) throw error;
    throw new CapabilityError("ambiguous", error.code, `${done} ${error.message}`);
  }
}

/** [TRUST 30] Serialises the object, and checks that it reads back as the same object. */
export function formatChecked(object: JComponent): string {
  const data = formatCalendarObject(object);
  if (Buffer.byteLength(data) > maxEventBytes)
    throw new CapabilityError("permanent", "event-too-large", "The event would be too large.");
  if (formatCalendarObject(parseCalendarObject(data)) !== data)
    throw new CapabilityError("permanent", "event-unreadable", "Paraph cannot write this event unchanged.");
  return data;
}

/** Runs a change of a series. A change that the rule of the series does not allow becomes a fault. */
export function planChange<T>(plan: () => T): T {
  try {
    return plan();
  } catch (error) {
    if (!(error instanceof UnreadableEvent)) throw error;
    throw new CapabilityError(
      "permanent",
      "series-not-changeable",
      `Paraph cannot change this event: ${error.message}.`,
    );
  }
}

/**
 * [P7] Probes whether an attempt changed the event. An unchanged ETag proves that it did not, and the mark of the call
 * that it did.
 */
export async function probeChange(
  calendarContext: CalendarContext,
  calendar: ConfiguredCalendar,
  id: string,
  context: ExecutionContext,
  toOutput: (found: DavResource | undefined) => JsonObject | undefined,
): Promise<Probe> {
  const basis = context.basis as unknown as EventBasis | undefined;
  const found = await readResource(calendarContext, calendar, id, context);
  if ((found?.etag ?? "") === basis?.etag) return { kind: "absent" };
  if (found && !isWrittenBy(found.data, toCallMark(context.key))) return { kind: "unsure" };
  const output = toOutput(found);
  return output ? { kind: "present", output } : { kind: "unsure" };
}

/** Describes the part of the event that a call is about, for the details of a change. */
export function describeTarget({ event, occurrence, scope }: EventTarget): JsonObject {
  return {
    title: readTitle(occurrence.component),
    ...(event.isSeries && { repeats: true, scope }),
    ...(occurrence.occurrence !== undefined && { occurrence: occurrence.occurrence }),
    ...toTimesOutput(occurrence.times),
  };
}
