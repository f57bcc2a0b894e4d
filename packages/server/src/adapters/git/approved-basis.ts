import { CapabilityError, type Json } from "@paraph/core";
import type { z } from "zod";
import { formatName } from "./format.ts";

/** Without a basis there is nothing to be conditional on, and an unconditional change is not ours to make. */
export function parseApprovedBasis<S extends z.ZodType>(schema: S, raw: Json | undefined): z.output<S> {
  const result = schema.safeParse(raw);
  if (result.success) return result.data;
  throw new CapabilityError(
    "permanent",
    "basis-missing",
    "The call came without the basis of its preview: preview it first.",
  );
}

export function refChangedFault(what: string): CapabilityError {
  return new CapabilityError(
    "permanent",
    "basis-moved",
    `${formatName(what)} changed since it was looked at: preview the call again.`,
  );
}
