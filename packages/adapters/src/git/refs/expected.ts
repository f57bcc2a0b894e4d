import { CapabilityError } from "@paraph/core";
import { z } from "zod";
import { formatName } from "../../format-text.ts";

/**
 * The value that a ref must have now. An undo sets this field, so that the undo reverts only its own call's change and
 * no later change.
 */
export const expectInput = z
  .string()
  .max(64)
  .optional()
  .describe("proceed only if the ref has this value now (an undo sets it)");

export function requireExpected(name: string, now: string | null, expect: string | undefined): void {
  if (expect === undefined || now === expect) return;
  throw new CapabilityError(
    "permanent",
    "not-as-expected",
    `${formatName(name)} does not match \`expect\`. Review it, then send the call without \`expect\`.`,
  );
}
