import { ParaphError } from "../paraph-error.ts";

/** A span of time as people write it, such as `500ms`, `30s`, `15m`, `24h` or `30d`. */
export type Duration = `${number}${"ms" | "s" | "m" | "h" | "d"}`;

const units = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;

/** Returns a duration in milliseconds. */
export function milliseconds(duration: Duration): number {
  const match = /^(\d+(?:\.\d+)?)(ms|s|m|h|d)$/.exec(duration);
  if (!match) {
    throw new ParaphError(
      "duration-invalid",
      `\`${duration}\` is not a duration. Use a value such as \`30s\` or \`24h\`.`,
    );
  }
  return Math.round(Number(match[1]) * units[match[2] as keyof typeof units]);
}

/** Returns whether a text is a duration of more than zero. */
export function isDuration(text: string): text is Duration {
  return /^\d+(?:\.\d+)?(?:ms|s|m|h|d)$/.test(text) && milliseconds(text as Duration) > 0;
}
