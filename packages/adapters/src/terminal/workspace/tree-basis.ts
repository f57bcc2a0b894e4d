import { CapabilityError, type Json } from "@paraph/core";
import { z } from "zod";

/** Rejects a workspace that differs from the one that the approvers saw. */
export function requireTree(basis: Json | undefined, digest: string): void {
  const approved = treeBasis.safeParse(basis);
  if (!approved.success)
    throw new CapabilityError(
      "permanent",
      "basis-missing",
      "The call has no basis from a preview. Preview it first.",
    );
  if (approved.data.tree !== digest)
    throw new CapabilityError(
      "permanent",
      "basis-changed",
      "The workspace changed since the preview. Preview the call again.",
    );
}

const treeBasis = z.object({ tree: z.string() });
