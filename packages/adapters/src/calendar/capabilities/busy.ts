import type { CalendarContext, ConfiguredCalendar, RequestContext } from "../context.ts";
import { queryRange } from "../dav/dav-client.ts";
import { isBusy } from "../ical/details.ts";
import { listOccurrences, type Occurrence, parseEvent } from "../ical/event.ts";
import { UnreadableEvent } from "../ical/jcal.ts";
import { ExpansionBudget } from "../ical/rule.ts";
import { dayMs } from "../time/zone.ts";

export interface Span {
  readonly from: number;
  readonly to: number;
}

/** The occurrences in a range, and the ids of the events that Paraph does not understand. */
export interface RangeContent {
  readonly occurrences: readonly Occurrence[];
  readonly unreadable: readonly string[];
}

/** Reads the occurrences of one calendar in the range, in order. */
export async function readRange(
  calendarContext: CalendarContext,
  calendar: ConfiguredCalendar,
  range: Span,
  context: RequestContext,
  budget = new ExpansionBudget(),
): Promise<RangeContent> {
  // A server may take times without a zone, and times in a zone that it does not know, for UTC.
  const wider = { from: range.from - dayMs, to: range.to + dayMs };
  const resources = await queryRange(calendarContext, calendar, wider, context);
  const unreadable: string[] = [];
  const occurrences = resources.flatMap((resource) => {
    context.signal.throwIfAborted();
    try {
      return listOccurrences(parseEvent(resource, calendar.timeZone, budget), range, budget);
    } catch (error) {
      if (!(error instanceof UnreadableEvent)) throw error;
      unreadable.push(resource.id);
      return [];
    }
  });
  return {
    occurrences: occurrences.sort(
      (a, b) =>
        a.startUtc - b.startUtc ||
        compareText(a.event.id, b.event.id) ||
        compareText(a.occurrence, b.occurrence),
    ),
    unreadable: unreadable.sort(compareText),
  };
}

function compareText(one = "", other = ""): number {
  return one < other ? -1 : one > other ? 1 : 0;
}

/** Returns the spans in which the occurrences make the calendar's person busy, merged and in order. */
export function toBusySpans(occurrences: readonly Occurrence[], { person }: ConfiguredCalendar): Span[] {
  return mergeSpans(
    occurrences
      .filter((each) => isBusy(each, person))
      .map(({ startUtc, endUtc }) => ({ from: startUtc, to: endUtc })),
  );
}

export function mergeSpans(spans: readonly Span[]): Span[] {
  const merged: Span[] = [];
  for (const span of spans.toSorted((a, b) => a.from - b.from)) {
    const last = merged.at(-1);
    if (last && span.from <= last.to)
      merged[merged.length - 1] = { from: last.from, to: Math.max(last.to, span.to) };
    else if (span.to > span.from) merged.push(span);
  }
  return merged;
}

/** Returns the parts of the spans that are in both lists. Both lists are merged. */
export function intersectSpans(ones: readonly Span[], others: readonly Span[]): Span[] {
  const common: Span[] = [];
  for (let one = 0, other = 0; one < ones.length && other < others.length; ) {
    const [a, b] = [ones[one]!, others[other]!];
    const span = { from: Math.max(a.from, b.from), to: Math.min(a.to, b.to) };
    if (span.from < span.to) common.push(span);
    if (a.to < b.to) one += 1;
    else other += 1;
  }
  return common;
}

/** Returns the parts of the spans that are not busy. Both lists are merged. */
export function subtractSpans(spans: readonly Span[], busy: readonly Span[]): Span[] {
  const gaps: Span[] = [];
  let from = Number.NEGATIVE_INFINITY;
  for (const each of busy) {
    gaps.push({ from, to: each.from });
    from = each.to;
  }
  return intersectSpans(
    spans,
    [...gaps, { from, to: Number.POSITIVE_INFINITY }].filter((gap) => gap.from < gap.to),
  );
}
