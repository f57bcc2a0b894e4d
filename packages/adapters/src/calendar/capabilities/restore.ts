import { type Capability, CapabilityError, defineCapability, type ExecutionContext } from "@paraph/core";
import { z } from "zod";
import { normalizeOrKeep } from "../../normalize-text.ts";
import { formatUnifiedDiff } from "../../unified-diff.ts";
import { type CalendarContext, type ConfiguredCalendar, requireCalendar } from "../context.ts";
import { type DavResource, readResource, writeResource } from "../dav/dav-client.ts";
import { isResourceId } from "../dav/resource-id.ts";
import { readTitle, toTimesOutput } from "../ical/details.ts";
import { mapEvents } from "../ical/edit-series.ts";
import {
  findProperty,
  formatCalendarObject,
  type JComponent,
  listComponents,
  parseCalendarObject,
  withProperties,
} from "../ical/jcal.ts";
import { withClientScheduling } from "../ical/scheduling.ts";
import { isWrittenBy, toCallMark, toNextVersion } from "../ical/write-event.ts";
import { deleteAfterWrite, formatChecked, maxUndoBytes } from "./change-event.ts";
import { formatDetailTimes, quoteTitle, readDetails } from "./headline.ts";
import { calendarInput, eventInput, toJson } from "./inputs.ts";
import { eventChangedFault, readEvent } from "./load-event.ts";

const toCanonicalData = (text: string) => formatCalendarObject(parseCalendarObject(text));

const restoreInput = z.strictObject({
  calendar: calendarInput,
  event: eventInput,
  data: z
    .string()
    .max(maxUndoBytes)
    .refine(isEventData, "must be one event as iCalendar")
    .overwrite(normalizeOrKeep(toCanonicalData))
    .describe("the event as iCalendar, as the undo of a call contains it"),
  version: z
    .string()
    .max(255)
    .nullable()
    .describe("the version that the event must have now; null: there must be no such event"),
  remove: z
    .string()
    .refine(isResourceId, "must be the id of an event")
    .optional()
    .describe("the event that the call created, and that this call removes"),
});

type RestoreInput = z.output<typeof restoreInput>;

/** Puts an event back as it was. It is the undo of the calls that change events. */
export function createRestoreCapability(calendarContext: CalendarContext): Capability {
  const { name, config } = calendarContext;
  return defineCapability({
    name: `${name}.restore`,
    version: 1,
    summary: "Restore an event as it was before a call",
    effect: "write",
    idempotency: "probe",
    timeout: config.timeout,
    input: restoreInput,
    output: z.object({ event: z.string(), version: z.string() }),
    locks: ({ calendar }) => [`${name}:${calendar}`],
    headline: (_, preview) => {
      const details = readDetails(preview);
      if (typeof details.title !== "string") return "Restore an event";
      return `Restore ${quoteTitle(details.title)} to ${formatDetailTimes(details.after)}`;
    },
    async preview(input, context) {
      const { calendar, current, removed, basis } = await planRestore(calendarContext, input, context);
      const after = readEvent({ id: input.event, etag: "", data: input.data }, calendar);
      const before = current && readEvent(current, calendar);
      const target = `calendar ${calendar.name}: ${input.event}`;
      const details = toJson({
        title: readTitle(after.main),
        ...(before && { before: toTimesOutput(before.times) }),
        after: toTimesOutput(after.times),
      });
      const toLines = (data: string) => data.replaceAll("\r\n", "\n");
      const diff = formatUnifiedDiff(
        input.event,
        before && toLines(toCanonicalData(before.data)),
        toLines(input.data),
      );
      return {
        changes: [
          { kind: before ? "update" : "create", target, details, diff },
          ...(removed
            ? [
                {
                  kind: "delete" as const,
                  target: `calendar ${calendar.name}: ${removed.id}`,
                  details: { title: readTitle(readEvent(removed, calendar).main) },
                },
              ]
            : []),
        ],
        basis,
      };
    },
    async apply(input, context) {
      const mark = toCallMark(context.key);
      const { calendar, current, removed, basis } = await planRestore(calendarContext, input, context);
      // An earlier attempt may have written the event, and ended before it removed the other one.
      const isWritten = current !== undefined && isWrittenBy(current.data, mark);
      const approved = context.basis as typeof basis | undefined;
      if (!isWritten && (approved?.etag !== basis.etag || approved.removed !== basis.removed))
        throw eventChangedFault();
      const version = isWritten
        ? current.etag
        : await writeRestored(calendarContext, calendar, input, current, mark, context);
      if (removed) {
        if (removed.etag !== approved?.removed) throw removedChangedFault();
        const done = "Paraph restored the event.";
        const result = await deleteAfterWrite(done, calendarContext, calendar, removed, context);
        if (result === "changed") throw removedChangedFault();
      }
      return { event: input.event, version };
    },
    async probe(input, context) {
      const calendar = requireCalendar(calendarContext, input.calendar, "write");
      const current = await readResource(calendarContext, calendar, input.event, context);
      const approved = context.basis as RestorePlan["basis"] | undefined;
      if ((current?.etag ?? "") === approved?.etag) return { kind: "absent" };
      if (!current || !isWrittenBy(current.data, toCallMark(context.key))) return { kind: "unsure" };
      const left =
        input.remove === undefined
          ? undefined
          : await readResource(calendarContext, calendar, input.remove, context);
      if (left) return { kind: left.etag === approved?.removed ? "absent" : "unsure" };
      return { kind: "present", output: { event: input.event, version: current.etag } };
    },
  });
}

function removedChangedFault(): CapabilityError {
  return new CapabilityError(
    "ambiguous",
    "event-changed",
    "Paraph restored the event, but the event that continues the series changed since the approval, so Paraph did not delete it.",
  );
}

interface RestorePlan {
  readonly calendar: ConfiguredCalendar;
  readonly current: DavResource | undefined;
  readonly removed: DavResource | undefined;
  readonly basis: { readonly etag: string; readonly removed: string };
}

async function planRestore(
  calendarContext: CalendarContext,
  input: RestoreInput,
  context: ExecutionContext,
): Promise<RestorePlan> {
  const calendar = requireCalendar(calendarContext, input.calendar, "write");
  const current = await readResource(calendarContext, calendar, input.event, context);
  const isOwn = current !== undefined && isWrittenBy(current.data, toCallMark(context.key));
  if ((current?.etag ?? null) !== input.version && !isOwn)
    throw new CapabilityError(
      "permanent",
      "event-changed",
      "The event changed since the call. Paraph does not restore it, because that change would be lost.",
    );
  const removed =
    input.remove === undefined
      ? undefined
      : await readResource(calendarContext, calendar, input.remove, context);
  return { calendar, current, removed, basis: { etag: current?.etag ?? "", removed: removed?.etag ?? "" } };
}

async function writeRestored(
  calendarContext: CalendarContext,
  calendar: ConfiguredCalendar,
  { event, data }: RestoreInput,
  current: DavResource | undefined,
  mark: string,
  context: ExecutionContext,
): Promise<string> {
  const sequence = current ? readSequence(parseCalendarObject(current.data)) : 0;
  const now = Date.now();
  const restored = mapEvents(parseCalendarObject(data), (each) => {
    const own = Math.max(sequence, Number(findProperty(each, "sequence")?.[3] ?? 0) || 0);
    const counted = withProperties(each, [["sequence", {}, "integer", own]]);
    return toNextVersion(withClientScheduling(counted, { asksAgain: false }), now, mark);
  });
  const written = await writeResource(
    calendarContext,
    calendar,
    { id: event, data: formatChecked(restored) },
    current ? { kind: "same", etag: current.etag } : { kind: "absent" },
    context,
  );
  if (written.kind === "changed") throw eventChangedFault();
  return written.etag;
}

/** Returns the highest sequence, so that calendar programs take the restored event as the newest version. */
function readSequence(calendar: JComponent): number {
  return Math.max(
    0,
    ...listComponents(calendar, "vevent").map(
      (each) => Number(findProperty(each, "sequence")?.[3] ?? 0) || 0,
    ),
  );
}

function isEventData(text: string): boolean {
  try {
    return listComponents(parseCalendarObject(text), "vevent").length > 0;
  } catch {
    return false;
  }
}
