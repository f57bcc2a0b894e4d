import { CapabilityError } from "@paraph/core";
import { z } from "zod";
import { formatName } from "../format.ts";

/** The value that a ref must have now. An undo sets it, so that it reverts only its own change and no later one. */
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
