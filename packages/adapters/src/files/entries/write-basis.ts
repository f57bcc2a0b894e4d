import { CapabilityError, type Json } from "@paraph/core";
import { z } from "zod";
import type { FileAtPath } from "./read-file.ts";

/**
 * The basis of a write. It excludes missing folders. Otherwise a retry would mistake folders that a crashed attempt
 * created for another program's change.
 */
export type WriteBasis =
  | { readonly kind: "absent"; readonly sha256: null }
  | { readonly kind: "file"; readonly sha256: string };

export function toWriteBasis(found: FileAtPath): WriteBasis {
  return found.kind === "file" ? { kind: "file", sha256: found.sha256 } : { kind: "absent", sha256: null };
}

/** Parses the basis of a write and rejects a missing one, because Paraph makes no unconditional writes. */
export function parseWriteBasis(raw: Json | undefined): WriteBasis {
  const result = basisSchema.safeParse(raw);
  if (result.success) return result.data;
  throw new CapabilityError("permanent", "basis-missing", "The call has no basis. Preview it first.");
}

export function requireWriteBasis(approved: WriteBasis, found: FileAtPath, path: string): void {
  if (toWriteBasis(found).sha256 !== approved.sha256) throw pathChangedFault(path);
}

export function pathChangedFault(path: string): CapabilityError {
  return new CapabilityError(
    "permanent",
    "basis-changed",
    `\`${path}\` changed since the preview. Preview the call again.`,
  );
}

const basisSchema = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("absent"), sha256: z.null() }),
  z.object({ kind: z.literal("file"), sha256: z.string() }),
]);
