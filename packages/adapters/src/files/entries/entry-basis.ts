import { CapabilityError, type Json } from "@paraph/core";
import { z } from "zod";
import type { PathEntry } from "./entry.ts";
import { pathChangedFault } from "./write-basis.ts";

/** The basis of an operation at one path: no entry, or exactly this file or folder. */
export type EntryBasis = z.output<typeof entryBasis>;

const entryBasis = z.union([
  z.object({ kind: z.literal("absent"), mark: z.null() }),
  z.object({ kind: z.enum(["file", "folder"]), mark: z.string() }),
]);

/**
 * The basis of a move or copy. The destination is always `absent`, because an existing entry blocks the call before its
 * preview.
 */
const sourceBasis = z.object({ from: entryBasis, to: entryBasis });

export const absentBasis: EntryBasis = { kind: "absent", mark: null };

export function toEntryBasis(entry: PathEntry): EntryBasis {
  return entry.kind === "absent" ? absentBasis : { kind: entry.kind, mark: entry.mark };
}

export function matchesBasis(approved: EntryBasis, entry: PathEntry): boolean {
  const found = toEntryBasis(entry);
  return found.kind === approved.kind && found.mark === approved.mark;
}

export function requireEntryBasis(approved: EntryBasis, entry: PathEntry, path: string): void {
  if (!matchesBasis(approved, entry)) throw pathChangedFault(path);
}

export function parseEntryBasis(raw: Json | undefined): EntryBasis {
  return parseBasis(entryBasis, raw);
}

export function parseSourceBasis(raw: Json | undefined): EntryBasis {
  return parseBasis(sourceBasis, raw).from;
}

/** Parses the basis of a call. It rejects a missing basis, because the operation would otherwise be unconditional. */
function parseBasis<T>(schema: z.ZodType<T>, raw: Json | undefined): T {
  const result = schema.safeParse(raw);
  if (result.success) return result.data;
  throw new CapabilityError("permanent", "basis-missing", "The call has no basis. Preview it first.");
}
