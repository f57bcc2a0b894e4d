import { type Duration, isDuration, milliseconds } from "@paraph/core";
import { z } from "zod";

/** The polling configuration of an adapter. */
export interface PollConfig {
  /** The interval between polls. */
  readonly every: Duration;
  /** The tenants to poll for. */
  readonly tenants?: readonly string[];
  /** The time that observations are kept. */
  readonly keep?: Duration;
  /** The maximum duration of one poll. */
  readonly patience?: Duration;
}

/** The polling configuration of an adapter in milliseconds, with its defaults. */
export interface PollSchedule {
  readonly tenants: readonly string[] | undefined;
  readonly everyMs: number;
  readonly keepMs: number;
  readonly patienceMs: number;
}

const duration = z
  .string()
  .refine(isDuration, "expected a duration, such as `30s` or `24h`")
  .meta({ typeName: "duration" });

/** The schema of the polling configuration. */
export const pollConfigSchema = z.strictObject({
  every: duration
    .refine((text) => !isDuration(text) || milliseconds(text) >= 1_000, "expected one second or longer")
    .describe("The interval between polls, at least one second."),
  tenants: z.array(z.string().min(1)).optional().describe("The tenants to poll for (default: all)."),
  keep: duration.optional().describe("The time that observations are kept (default: `30d`)."),
  patience: duration.optional().describe("The maximum duration of one poll (default: `30s`)."),
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
