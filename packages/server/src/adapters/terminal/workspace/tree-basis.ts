import { CapabilityError, type Json } from "@paraph/core";
import { z } from "zod";

/** Rejects a workspace that differs from the one that the approvers saw. */
export function requireTree(basis: Json | undefined, digest: string): void {
  const approved = treeBasis.safeParse(basis);
  if (!approved.success)
    throw new CapabilityError(
      "permanent",
      "basis-missing",
      "It came without the basis of its preview: preview it first.",
    );
  if (approved.data.tree !== digest)
    throw new CapabilityError(
      "permanent",
      "basis-moved",
      "The workspace changed since it was looked at: preview the call again.",
    );
}

const treeBasis = z.object({ tree: z.string() });
