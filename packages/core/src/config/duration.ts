import { ParaphError } from "../paraph-error.ts";

/** How people write a span of time: `500ms`, `30s`, `15m`, `24h`, `30d`. */
export type Duration = `${number}${"ms" | "s" | "m" | "h" | "d"}`;

const units = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;

export function milliseconds(duration: Duration): number {
  const match = /^(\d+(?:\.\d+)?)(ms|s|m|h|d)$/.exec(duration);
  if (!match) {
    throw new ParaphError(
      "duration-invalid",
      `\`${duration}\` is not a duration: write for example \`30s\` or \`24h\`.`,
    );
  }
  return Math.round(Number(match[1]) * units[match[2] as keyof typeof units]);
}

/** Whether a text is a duration, longer than nothing. */
export function isDuration(text: string): text is Duration {
  return /^\d+(?:\.\d+)?(?:ms|s|m|h|d)$/.test(text) && milliseconds(text as Duration) > 0;
}
