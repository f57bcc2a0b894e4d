import { z } from "zod";

/**
 * The basis of a push: the ref's current value at the remote, and its new value. Null means that the ref does not
 * exist.
 */
export const pushBasis = z.object({
  url: z.string(),
  ref: z.string(),
  from: z.string().nullable(),
  to: z.string().nullable(),
});

export type PushBasis = z.output<typeof pushBasis>;
