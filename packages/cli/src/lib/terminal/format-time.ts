import { usageError } from "../cli-error.ts";

/** Formats a duration, for example as `12 ms`, `3.4 s`, `5 min`, `23 h 59 min` or `6 d`. */
export function formatDuration(ms: number): string {
  if (ms < 1_000) return `${Math.round(ms)} ms`;
  if (ms < 60_000) return `${(ms / 1_000).toFixed(1).replace(".0", "")} s`;
  const minutes = Math.floor(ms / 60_000);
  if (minutes < 60) return `${minutes} min`;
  const hours = Math.floor(minutes / 60);
  if (hours < 48) return minutes % 60 === 0 ? `${hours} h` : `${hours} h ${minutes % 60} min`;
  return `${Math.floor(hours / 24)} d`;
}

export function formatTimeUntil(at: number, now: number): string {
  return at <= now ? "expired" : `in ${formatDuration(at - now)}`;
}

export function formatTimeAgo(at: number, now: number): string {
  const ms = Math.max(0, now - at);
  return ms < 1_000 ? "just now" : `${formatDuration(Math.floor(ms / 1_000) * 1_000)} ago`;
}

/** Formats a time as `2026-11-15 02:40:12 UTC`. All users see the same time zone. */
export function formatTimestamp(at: number): string {
  return `${new Date(at).toISOString().slice(0, 19).replace("T", " ")} UTC`;
}

/** Formats a time as `02:40:12.345`, for lines below a date. */
export function formatClockTime(at: number): string {
  return new Date(at).toISOString().slice(11, 23);
}

const units = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;

/** Parses a duration with its unit, for example the `30d` in `--expires 30d`. */
export function parseDuration(text: string): number {
  const [, number, unit] = /^(\d+)(m|h|d)$/.exec(text) ?? [];
  if (number !== undefined && Number(number) > 0) return Number(number) * units[unit as keyof typeof units];
  throw usageError(`\`${text}\` is not a duration. Use a value such as \`12h\` or \`30d\`.`);
}

/** Parses a waiting time, for example the `30`, `30s` or `5m` after `--wait`. */
export function parseWait(text: string): number {
  const [, number, unit = "s"] = /^(\d+(?:\.\d+)?)(ms|s|m|h|d)?$/.exec(text) ?? [];
  if (number !== undefined) return Math.round(Number(number) * units[unit as keyof typeof units]);
  throw usageError(
    `\`${text}\` is not a valid wait time. Use a number of seconds, or a duration such as \`90s\` or \`5m\`.`,
  );
}
