import { usageError } from "../cli-error.ts";

const units = { m: 60_000, h: 3_600_000, d: 86_400_000, w: 7 * 86_400_000 } as const;

/** Parses a time in the past for the API, for example the `24h` in `--since 24h` or a date such as `2026-03-01`. */
export function parseSince(text: string, now: number): string {
  const [, number, unit] = /^(\d+(?:\.\d+)?)([mhdw])$/.exec(text) ?? [];
  const at =
    number === undefined
      ? /^\d{4}-\d\d-\d\d/.test(text)
        ? Date.parse(text)
        : Number.NaN
      : now - Number(number) * units[unit as keyof typeof units];
  if (at <= now && at >= 0) return new Date(Math.round(at)).toISOString();
  throw usageError(
    `\`${text}\` is not a time in the past. Use a value such as \`24h\`, \`30d\` or \`2026-03-01\`.`,
  );
}
