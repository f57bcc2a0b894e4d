import { type Urgency, urgencies } from "@paraph/core";
import type { QuietHours } from "../postgres/index.ts";

const dayMinutes = 24 * 60;

/**
 * Returns when the person's quiet hours end, if they apply now and to this urgency. Otherwise returns undefined. The end
 * is exact to a minute, except on the day of a clock change.
 */
export function findQuietEnd(
  quiet: QuietHours | undefined,
  urgency: Urgency,
  now: number,
): number | undefined {
  if (!quiet || pierces(quiet, urgency)) return undefined;
  const { from, until } = quiet;
  const minute = minuteOfDay(now, quiet.timeZone);
  const sinceFrom = (minute - from + dayMinutes) % dayMinutes;
  const length = (until - from + dayMinutes) % dayMinutes;
  if (sinceFrom >= length) return undefined;
  return now - (now % 60_000) + (length - sinceFrom) * 60_000;
}

function pierces({ pierce }: QuietHours, urgency: Urgency): boolean {
  return pierce !== "none" && urgencies.indexOf(urgency) >= urgencies.indexOf(pierce);
}

function minuteOfDay(at: number, timeZone: string): number {
  const parts = new Intl.DateTimeFormat("en-GB", {
    timeZone,
    hour: "2-digit",
    minute: "2-digit",
    hourCycle: "h23",
  }).formatToParts(at);
  const read = (type: "hour" | "minute") => Number(parts.find((part) => part.type === type)?.value);
  return read("hour") * 60 + read("minute");
}
