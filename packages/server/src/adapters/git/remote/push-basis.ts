import { z } from "zod";

/** The facts a push rests on: what is there, and what goes there; null where there is, or will be, nothing. */
export const pushBasis = z.object({
  url: z.string(),
  ref: z.string(),
  from: z.string().nullable(),
  to: z.string().nullable(),
});

export type PushBasis = z.output<typeof pushBasis>;
