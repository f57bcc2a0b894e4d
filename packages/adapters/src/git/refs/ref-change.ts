import type { ExecutionContext, Probe } from "@paraph/core";
import { z } from "zod";
import { throwIfStopped } from "../../throw-if-stopped.ts";
import { parseApprovedBasis, refChangedFault } from "../approved-basis.ts";
import type { Repository } from "../repository/repository.ts";
import { moveRef, type RefMove } from "./move-ref.ts";
import { clearStaleLock } from "./ref-lock.ts";
import { readRef } from "./revision.ts";

/** The basis of creating or deleting a ref, where null means that the ref does not exist. */
export const refBasis = z.object({ ref: z.string(), from: z.string().nullable(), to: z.string().nullable() });

/**
 * [P7] Changes a ref only if it still has the value that the preview saw. It does nothing if the ref already has its
 * new value.
 */
export async function changeRef(
  repository: Repository,
  why: string,
  context: ExecutionContext,
): Promise<void> {
  const { ref, from, to } = parseApprovedBasis(refBasis, context.basis);
  await clearStaleLock(repository, ref, (oid) => oid === to);
  const now = await readRef(repository, ref);
  if (now === to) return;
  if (now !== from) throw refChangedFault(ref);
  throwIfStopped(context);
  const move: RefMove = { ref, from, to, reason: why };
  await moveRef(repository, move, context);
}

export async function probeRef(
  repository: Repository,
  context: ExecutionContext,
  output: (basis: z.output<typeof refBasis>) => z.core.util.JSONType,
): Promise<Probe> {
  const basis = parseApprovedBasis(refBasis, context.basis);
  await clearStaleLock(repository, basis.ref, (oid) => oid === basis.to);
  const now = await readRef(repository, basis.ref);
  if (now === basis.to) return { kind: "present", output: output(basis) };
  return { kind: now === basis.from ? "absent" : "unsure" };
}
