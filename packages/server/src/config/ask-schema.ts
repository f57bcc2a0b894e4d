import { type Duration, type Urgency, urgencies } from "@paraph/core";
import { z } from "zod";
import type { Config } from "./config.ts";
import { duration, positive, type Shape, text } from "./schema-parts.ts";

/** The time that approvers have to answer, unless the configuration sets another. */
export const defaultExpiry = {
  low: "24h",
  normal: "24h",
  high: "4h",
  critical: "15m",
} as const satisfies Record<Urgency, Duration>;

const perUrgency = <T extends z.ZodType>(value: T, describe: (urgency: Urgency) => string) =>
  z.strictObject(
    Object.fromEntries(urgencies.map((each) => [each, value.optional().describe(describe(each))])),
  );
const escalationStep = z.strictObject({
  after: duration.describe("The time since the request after which Paraph reminds the approvers."),
  to: text.optional().describe("The group that Paraph then also asks (default: none)."),
});
export const ask = {
  expires: perUrgency(
    duration,
    (urgency) =>
      `The time for approvals of the urgency \`${urgency}\` (default: \`${defaultExpiry[urgency]}\`).`,
  ).describe("The time that approvers have to answer, by urgency."),
  acknowledge: duration.describe(
    "The time for which an approver's acknowledgement delays the next reminder or escalation (default: `15m`).",
  ),
  maxDenials: positive.describe(
    "The number of denials within the last hour at which Paraph throttles a principal (default: 10). A throttled principal may ask approvers only once a minute.",
  ),
  escalation: perUrgency(
    z.array(escalationStep),
    (urgency) =>
      `The steps for approvals of the urgency \`${urgency}\` (default: one reminder after half of the time).`,
  ).describe("The reminders and escalations of an unanswered approval, by urgency."),
} satisfies Shape<NonNullable<Config["ask"]>>;
