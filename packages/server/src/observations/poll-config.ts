import { type Duration, isDuration, milliseconds } from "@paraph/core";
import { z } from "zod";

/** How an adapter is asked what it perceives. */
export interface PollConfig {
  /** How often: once a second at most. */
  readonly every: Duration;
  /** For these tenants; all of them unless given. */
  readonly tenants?: readonly string[];
  /** How long observations are kept: 30 d unless given. */
  readonly keep?: Duration;
  /** How long one look may take: 30 s unless given. */
  readonly patience?: Duration;
}

export interface PollSchedule {
  readonly tenants: readonly string[] | undefined;
  readonly everyMs: number;
  readonly keepMs: number;
  readonly patienceMs: number;
}

const duration = z.string().refine(isDuration, "expected a duration, such as `30s` or `24h`");

export const pollConfigSchema = z.strictObject({
  every: duration.refine(
    (text) => !isDuration(text) || milliseconds(text) >= 1_000,
    "expected one second or longer",
  ),
  tenants: z.array(z.string().min(1)).optional(),
  keep: duration.optional(),
  patience: duration.optional(),
} satisfies Record<keyof PollConfig, z.ZodType>);

export function toPollSchedules(
  observe: Readonly<Record<string, PollConfig>> = {},
): ReadonlyMap<string, PollSchedule> {
  return new Map(
    Object.entries(observe).map(([name, { every, tenants, keep = "30d", patience = "30s" }]) => [
      name,
      {
        tenants,
        everyMs: milliseconds(every),
        keepMs: milliseconds(keep),
        patienceMs: milliseconds(patience),
      },
    ]),
  );
}
