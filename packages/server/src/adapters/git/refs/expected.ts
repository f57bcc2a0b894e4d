import { CapabilityError } from "@paraph/core";
import { z } from "zod";
import { formatName } from "../format.ts";

/** The way back leads over what was done, and never over what somebody did since. */
export const expectInput = z
  .string()
  .max(64)
  .optional()
  .describe("only if this is what is there now, as an undo says");

export function requireExpected(name: string, now: string | null, expect: string | undefined): void {
  if (expect === undefined || now === expect) return;
  throw new CapabilityError(
    "permanent",
    "not-as-expected",
    `${formatName(name)} is not where it was left: it changed since. Look at it, then do this without \`expect\`.`,
  );
}
