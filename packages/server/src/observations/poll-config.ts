import { type Duration, isDuration, milliseconds } from "@paraph/core";
import { z } from "zod";

/** The polling configuration of an adapter. */
export interface PollConfig {
  /** The interval between polls (minimum: 1 s). */
  readonly every: Duration;
  /** The tenants to poll for (default: all). */
  readonly tenants?: readonly string[];
  /** The time that observations are kept (default: 30 d). */
  readonly keep?: Duration;
  /** The maximum duration of one poll (default: 30 s). */
  readonly patience?: Duration;
}

/** The polling configuration of an adapter in milliseconds, with its defaults. */
export interface PollSchedule {
  readonly tenants: readonly string[] | undefined;
  readonly everyMs: number;
  readonly keepMs: number;
  readonly patienceMs: number;
}

const duration = z.string().refine(isDuration, "expected a duration, such as `30s` or `24h`");

/** The schema of the polling configuration. */
export const pollConfigSchema = z.strictObject({
  every: duration.refine(
    (text) => !isDuration(text) || milliseconds(text) >= 1_000,
    "expected one second or longer",
  ),
  tenants: z.array(z.string().min(1)).optional(),
  keep: duration.optional(),
  patience: duration.optional(),
} satisfies Record<keyof PollConfig, z.ZodType>);

/** Returns the schedule of each adapter that is polled. */
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
