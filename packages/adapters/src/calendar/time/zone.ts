export const dayMs = 86_400_000;

/** The years that Paraph understands. Rules of time zones outside of them are guesses. */
const minYear = 1970;
const maxYear = 2199;

/** Whether the local or UTC time is in a year that Paraph understands. */
export function isInSupportedYears(ms: number): boolean {
  return ms >= Date.UTC(minYear, 0, 1) && ms < Date.UTC(maxYear + 1, 0, 1);
}

const formatters = new Map<string, Intl.DateTimeFormat>();

/** Returns the canonical name of an IANA time zone, and throws if there is none of this name. */
export function readZone(raw: string): string {
  // `Intl` also accepts offsets such as `+01:00`, which are no zones.
  if (!/^[A-Za-z][A-Za-z0-9_+-]*(?:\/[A-Za-z0-9_+-]+)*$/.test(raw)) throw new Error("not a time zone");
  const name = new Intl.DateTimeFormat("en", { timeZone: raw }).resolvedOptions().timeZone;
  return name === "Etc/UTC" || name === "GMT" ? "UTC" : name;
}

export function isZone(raw: string): boolean {
  try {
    readZone(raw);
    return true;
  } catch {
    return false;
  }
}

/**
 * Returns the zone's offset from UTC at this time. A local time is a number as well: the milliseconds of its fields if
 * they were UTC.
 */
export function zoneOffset(utc: number, zone: string): number {
  if (zone === "UTC") return 0;
  let formatter = formatters.get(zone);
  if (!formatter) {
    formatter = new Intl.DateTimeFormat("en-US", {
      timeZone: zone,
      hourCycle: "h23",
      year: "numeric",
      month: "2-digit",
      day: "2-digit",
      hour: "2-digit",
      minute: "2-digit",
      second: "2-digit",
    });
    formatters.set(zone, formatter);
  }
  const match = /^(\d+)\/(\d+)\/(\d+), (\d+):(\d+):(\d+)$/.exec(formatter.format(utc));
  const [month, day, year, hour, minute, second] = match!.slice(1).map(Number) as [
    number,
    number,
    number,
    number,
    number,
    number,
  ];
  return Date.UTC(year, month - 1, day, hour, minute, second) - Math.floor(utc / 1000) * 1000;
}

export function toLocal(utc: number, zone: string): number {
  return utc + zoneOffset(utc, zone);
}

/**
 * Returns the UTC time of a local time, as RFC 5545 says: of two times the first, and in a gap the time by the offset
 * before the gap.
 */
export function toUtc(local: number, zone: string): number {
  const before = zoneOffset(local - dayMs, zone);
  const after = zoneOffset(local + dayMs, zone);
  for (const offset of [before, after])
    if (zoneOffset(local - offset, zone) === offset) return local - offset;
  return local - before;
}

/** Whether the local time exists. Clocks skip an hour when summer time begins. */
export function isLocalTime(local: number, zone: string): boolean {
  return toLocal(toUtc(local, zone), zone) === local;
}
