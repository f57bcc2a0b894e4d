import { useEffect, useState } from "react";

const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;

/** Formats a duration with its two largest units, such as `1 h 58 min`. */
export function formatDuration(ms: number): string {
  if (ms < 1_000) return `${Math.max(0, Math.round(ms))} ms`;
  if (ms < 10_000) return `${(ms / 1_000).toFixed(1)} s`;
  if (ms < 2 * minute) return `${Math.floor(ms / 1_000)} s`;
  if (ms < hour) return `${Math.floor(ms / minute)} min`;
  const minutes = Math.floor((ms % hour) / minute);
  if (ms < 6 * hour && minutes > 0) return `${Math.floor(ms / hour)} h ${minutes} min`;
  return ms < 2 * day ? `${Math.floor(ms / hour)} h` : `${Math.floor(ms / day)} d`;
}

/** Formats a time of the past, such as `9 min ago`. */
export function formatAgo(iso: string, now: number): string {
  const passed = now - Date.parse(iso);
  return passed < minute ? "just now" : `${formatDuration(passed)} ago`;
}

/** Returns the current time. It changes every minute, and every second if `until` is less than two minutes away. */
export function useNow(until?: string): number {
  const [now, setNow] = useState(Date.now);
  const left = until === undefined ? Number.POSITIVE_INFINITY : Date.parse(until) - now;
  const pause = left > 0 && left < 2 * minute + 1_000 ? 1_000 : 15_000;
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), pause);
    return () => clearInterval(timer);
  }, [pause]);
  return now;
}

/** Returns the name of a time zone, such as `Berlin time`, or `UTC`. */
export function formatZone(zone: string): string {
  const place = zone.split("/").at(-1) ?? zone;
  return place === "UTC" ? place : `${place.replaceAll("_", " ")} time`;
}

/** The name of the reader's time zone. */
export const zoneName = formatZone(Intl.DateTimeFormat().resolvedOptions().timeZone);

/** Formats a time of today, or of the next hours, as `10:43`, and another one with its day, and its year if it is not this one. */
export function formatTime(iso: string, now = Date.now()): string {
  const at = new Date(iso);
  const clock = at.toLocaleTimeString("en-GB", { hour: "2-digit", minute: "2-digit" });
  const isSoon = at.getTime() > now && at.getTime() - now < 12 * hour;
  if (isSoon || at.toDateString() === new Date(now).toDateString()) return clock;
  const isThisYear = at.getFullYear() === new Date(now).getFullYear();
  const date = at.toLocaleDateString("en-GB", {
    day: "numeric",
    month: "short",
    ...(!isThisYear && { year: "numeric" }),
  });
  return `${date}, ${clock}`;
}

/** Formats a time in full, such as `1 Mar 2026, 10:30:00 CET`, in the zone of the reader or in another one. */
export function formatExactTime(iso: string, timeZone?: "UTC"): string {
  return new Date(iso).toLocaleString("en-GB", {
    timeZone,
    day: "numeric",
    month: "short",
    year: "numeric",
    hour: "2-digit",
    minute: "2-digit",
    second: "2-digit",
    timeZoneName: "short",
  });
}
