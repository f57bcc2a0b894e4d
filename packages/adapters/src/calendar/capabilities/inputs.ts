import { CapabilityError, type JsonObject } from "@paraph/core";
import { z } from "zod";
import { normalizeOrKeep } from "../../normalize-text.ts";
import { isResourceId } from "../dav/resource-id.ts";
import type { EventTimes } from "../ical/event.ts";
import type { EventZone } from "../ical/event-zone.ts";
import { isEmail, readEmail } from "../people.ts";
import { formatLocalIso, parseLocal } from "../time/format.ts";
import { dayMs, isInSupportedYears, isLocalTime, isZone, readZone } from "../time/zone.ts";

export const calendarInput = z.string().max(41).describe("the name of the calendar");

export const eventInput = z
  .string()
  .max(255)
  .refine(isResourceId, "must be the id of an event")
  .describe("the id of the event, as `events` returns it");

export const zoneInput = z
  .string()
  .max(64)
  .refine(isZone, "must be the name of a time zone, such as `Europe/Berlin`")
  .overwrite(normalizeOrKeep(readZone));

export const emailInput = z
  .string()
  .max(254)
  .refine(isEmail, "must be a mail address")
  .overwrite(normalizeOrKeep(readEmail));

/** A local time in canonical form. Paraph shows it together with its zone. */
export const localTimeInput = z
  .string()
  .max(19)
  .refine((text) => isInSupportedYears(parseLocal(text)?.local ?? -1), {
    message:
      "must be a local time without an offset, such as `2026-11-20T15:00`, or a day such as `2026-11-20`",
  })
  .overwrite(
    normalizeOrKeep((text) => {
      const { local, isDate } = parseLocal(text)!;
      return formatLocalIso(local, isDate);
    }),
  );

/** [TRUST 30] Foreign text becomes one line, or lines that end with LF, in NFC and without control characters. */
export function textInput(max: number, lines: "one" | "many") {
  const forbidden = lines === "one" ? /\p{Cc}/u : /[^\P{Cc}\n\t]/u;
  return z
    .string()
    .max(max)
    .overwrite((text) => text.replaceAll(/\r\n?/g, "\n").normalize("NFC").trim())
    .refine(
      (text) => text.isWellFormed() && !forbidden.test(text),
      `must have no control characters${lines === "one" ? " or line breaks" : ""}`,
    );
}

export const occurrenceInput = {
  occurrence: localTimeInput
    .optional()
    .describe("for a recurring event: the occurrence, as `events` returns it in `occurrence`"),
  scope: z
    .enum(["this", "following", "all"])
    .optional()
    .describe("for a recurring event: this occurrence, this and all following ones, or all"),
};

/** The output fields of an event's times. */
export const timesOutput = {
  start: z.string().describe("local time in `timeZone`, or the first day"),
  end: z.string().describe("local time in `timeZone`, or the last day"),
  timeZone: z.string(),
  startUtc: z.string(),
  endUtc: z.string(),
};

const maxDurationDays = 366;

/**
 * Returns the times that an input names. Without an end, the duration is the given one. A time that clocks skip is an
 * error, because calendar programs would show another time than approvers saw.
 */
export function resolveTimes(
  { start, end }: { readonly start: string; readonly end?: string | undefined },
  zone: EventZone,
  duration: { readonly timed: number; readonly days: number },
): EventTimes {
  const [from, to] = [parseLocal(start)!, end === undefined ? undefined : parseLocal(end)!];
  const { isDate } = from;
  if (to && to.isDate !== isDate) throw timeFault("`start` and `end` must both be days, or both be times.");
  const last = to ? to.local + (isDate ? dayMs : 0) : from.local + (isDate ? duration.days : duration.timed);
  if (last < from.local || last - from.local > maxDurationDays * dayMs)
    throw timeFault("The event ends before it starts, or it is longer than a year.");
  if (!isDate && (!isLocalTime(from.local, zone.name) || !isLocalTime(last, zone.name)))
    throw timeFault("The clocks skip this time in the time zone. Choose another time.");
  return { start: from.local, end: last, isDate, zone };
}

export function timeFault(message: string): CapabilityError {
  return new CapabilityError("permanent", "time-invalid", message);
}

/** Returns the value as JSON, without fields that are undefined. */
export function toJson(value: object): JsonObject {
  return JSON.parse(JSON.stringify(value));
}
