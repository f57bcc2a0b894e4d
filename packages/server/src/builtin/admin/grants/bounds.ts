import type { Bound, Bounds, Contract, JsonObject } from "@paraph/core";
import { z } from "zod";
import { createRefusal } from "../define-admin-capability.ts";
import { formatList } from "../format.ts";

const plainValueSchema = z.union([z.string().max(1_000), z.number(), z.boolean(), z.null()]);

/** Only plain values can be bounded, because a bound on a structure would be easy to get wrong. */
const boundSchema = z
  .strictObject({
    is: plainValueSchema.optional(),
    oneOf: z.array(plainValueSchema).min(1).max(100).optional(),
    startsWith: z.string().min(1).max(1_000).optional(),
    atMost: z.number().optional(),
    atLeast: z.number().optional(),
  })
  .refine(
    (given) => Object.keys(given).length > 0,
    "needs at least one of `is`, `oneOf`, `startsWith`, `atMost` and `atLeast`",
  );

export const boundsInput = z
  .record(z.string().min(1).max(255), boundSchema)
  .default({})
  .refine((given) => Object.keys(given).length <= 50, "at most 50 bounds")
  .describe("allowed values of each argument, by its path in the input, such as `to.domain`");

/** Converts the parsed input to bounds. It omits undefined members, because the core's type does not allow them. */
export function toBounds(given: z.output<typeof boundsInput>): Bounds {
  return JSON.parse(JSON.stringify(given)) as Bounds;
}

/** Rejects a bound on an unknown argument. No call could meet such a bound, and the name is most likely mistyped. */
export function requireKnownArguments(bounds: Bounds, contract: Contract): void {
  const { properties } = contract.input as { properties?: JsonObject };
  if (!properties) return;
  const unknown = Object.keys(bounds).filter((path) => !Object.hasOwn(properties, path.split(".")[0]!));
  if (unknown.length > 0)
    throw createRefusal("bound-unknown", `\`${contract.name}\` has no argument ${formatList(unknown)}.`);
}

/** Describes bounds in words, for example: path begins with "notes/" and cents is at most 500. */
export function describeBounds(bounds: Bounds): string {
  const parts = Object.entries(bounds).flatMap(([path, one]) =>
    describeBound(one).map((test) => `${path} ${test}`),
  );
  if (parts.length === 0) return "with any input";
  return `with any input where ${parts.join(" and ")}`;
}

function describeBound({ is, oneOf, startsWith, atMost, atLeast }: Bound): string[] {
  const json = (value: unknown) => JSON.stringify(value);
  return [
    is === undefined ? "" : `is ${json(is)}`,
    oneOf === undefined ? "" : `is one of ${oneOf.map(json).join(", ")}`,
    startsWith === undefined ? "" : `begins with ${json(startsWith)}`,
    atLeast === undefined ? "" : `is at least ${atLeast}`,
    atMost === undefined ? "" : `is at most ${atMost}`,
  ].filter(Boolean);
}
