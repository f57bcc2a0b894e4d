import { z } from "zod";

/**
 * The basis of a push: the remote's current value of the ref and the new one, where null means that the ref does not
 * exist.
 */
export const pushBasis = z.object({
  url: z.string(),
  ref: z.string(),
  from: z.string().nullable(),
  to: z.string().nullable(),
});

export type PushBasis = z.output<typeof pushBasis>;
