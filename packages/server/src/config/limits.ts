import {
  type Contract,
  type Duration,
  isDuration,
  type Limit,
  milliseconds,
  type Principal,
} from "@paraph/core";
import { z } from "zod";

/** A limit in the configuration, such as `{ per: "principal", calls: 100, window: "1h" }`. */
export interface LimitRule {
  /** The scope of one count. */
  readonly per: "tenant" | "principal" | "capability" | "use";
  /** Only calls of these capabilities. */
  readonly capability?: string;
  /** Only calls of this principal. */
  readonly principal?: string;
  /** The maximum number of calls in a window. */
  readonly calls?: number;
  /** The maximum amount of money in a window, in minor units. */
  readonly money?: number;
  /** The maximum number of concurrent calls. */
  readonly concurrency?: number;
  /** The length of the window for `calls` and `money`. */
  readonly window?: Duration;
  /** The name of the limit. */
  readonly name?: string;
}

const limitKinds = ["calls", "money", "concurrency"] as const;
const amount = z.int("expected a whole number").min(0);

/** The schema of one limit in the configuration. */
export const limitSchema = z
  .strictObject({
    per: z
      .enum(["tenant", "principal", "capability", "use"])
      .describe(
        "The scope of one count: the tenant, each principal, each capability, or each principal's use of each capability.",
      ),
    capability: z
      .string()
      .min(1)
      .optional()
      .describe("Only calls of these capabilities: a name, or a pattern that ends in `*` (default: all)."),
    principal: z.string().min(1).optional().describe("Only calls of this principal (default: all)."),
    calls: amount
      .optional()
      .describe("The maximum number of calls in a window. Paraph counts a call when it accepts the call."),
    money: amount
      .optional()
      .describe(
        "The maximum amount of money in a window, in minor units. Paraph reserves the amount before the attempt and settles it afterwards.",
      ),
    concurrency: amount
      .optional()
      .describe("The maximum number of concurrent calls. A call counts from its intent to its outcome."),
    window: z.string().refine(isDuration, "expected a duration, such as `1h`").optional().meta({
      description:
        "The length of the window for `calls` and `money` (default: `1h`). Windows are fixed and begin at whole multiples of this length since 1970.",
      typeName: "duration",
    }),
    name: z
      .string()
      .min(1)
      .optional()
      .describe("The name of the limit in events and messages (default: `limit-<number>-per-<scope>`)."),
  } satisfies Record<keyof LimitRule, z.ZodType>)
  .refine(
    (rule) => limitKinds.some((kind) => rule[kind] !== undefined),
    `name at least one of ${limitKinds.join(", ")}`,
  );

/** Returns a function that lists the limits for a call. The function needs the call's principal, contract and cost. */
export function createLimits(
  rules: readonly LimitRule[] = [],
): (principal: Principal, contract: Contract, cost: number) => readonly Limit[] {
  const parsed = rules.map((rule, index) => ({
    ...rule,
    windowMs: rule.window === undefined ? 3_600_000 : milliseconds(rule.window),
    id: rule.name ?? `limit-${index + 1}-per-${rule.per}`,
  }));
  return (principal, contract, cost) =>
    parsed
      .filter((rule) => isApplicable(rule, principal, contract))
      .flatMap((rule) =>
        limitKinds.flatMap((kind): Limit[] => {
          const max = rule[kind];
          const amount = kind === "money" ? cost : 1;
          if (max === undefined || amount === 0) return [];
          const key = `${kind}:${rule.id}:${toCountKey(rule.per, principal, contract)}`;
          return [
            { id: rule.id, kind, key, max, amount, windowMs: kind === "concurrency" ? 0 : rule.windowMs },
          ];
        }),
      );
}

function isApplicable(rule: LimitRule, principal: Principal, contract: Contract): boolean {
  const { capability, principal: only } = rule;
  if (only !== undefined && only !== principal.id) return false;
  if (capability === undefined) return true;
  return capability.endsWith("*")
    ? contract.name.startsWith(capability.slice(0, -1))
    : contract.name === capability;
}

function toCountKey(per: LimitRule["per"], principal: Principal, contract: Contract): string {
  switch (per) {
    case "tenant":
      return "";
    case "principal":
      return principal.id;
    case "capability":
      return contract.name;
    case "use":
      return `${contract.name}/${principal.id}`;
  }
}
