import { z } from "zod";
import type { Json } from "../json.ts";
import type { Change } from "./capability.ts";
import { CapabilityError } from "./fault.ts";

const fields = {
  kind: z.enum(["create", "update", "delete", "move", "send", "run", "other"]),
  target: z.string(),
  summary: z.string().optional(),
  diff: z.string().optional(),
  details: z
    .record(
      z.string(),
      z.unknown().transform((value) => value as Json),
    )
    .optional(),
  incomplete: z.literal(true).optional(),
};

/** The schema of a change. It rejects unknown fields, because no approver would see them. */
export const changeSchema: z.ZodType<Change> = z.strictObject(fields) as never;

const changesSchema = z.array(changeSchema);

/** Returns the changes of a preview. Throws an error if a change has an unknown field or a field of the wrong type. */
export function parseChanges(changes: unknown): readonly Change[] {
  const parsed = changesSchema.safeParse(changes);
  if (parsed.success) return parsed.data;
  const [fault] = parsed.error.issues;
  throw new CapabilityError(
    "permanent",
    "preview-invalid",
    `The capability returned an invalid preview, at ${["changes", ...fault!.path].join(".")}: ${fault!.message}. A change can have only these fields: ${Object.keys(fields).join(", ")}.`,
  );
}
