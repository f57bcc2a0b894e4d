import { CapabilityError, type Json } from "@paraph/core";
import type { z } from "zod";
import { formatName } from "../format-text.ts";

/** Parses the approved basis and rejects a missing one, because Paraph makes no unconditional changes. */
export function parseApprovedBasis<S extends z.ZodType>(schema: S, raw: Json | undefined): z.output<S> {
  const result = schema.safeParse(raw);
  if (result.success) return result.data;
  throw new CapabilityError("permanent", "basis-missing", "The call has no basis. Preview it first.");
}

export function refChangedFault(what: string): CapabilityError {
  return new CapabilityError(
    "permanent",
    "basis-changed",
    `${formatName(what)} changed since the preview. Preview the call again.`,
  );
}
