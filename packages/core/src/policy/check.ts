import { z } from "zod";
import type { Json } from "../json.ts";

/** The standard result of a check: a read capability that judges a call before it may go on. */
export const checkResult = z.object({
  passed: z.boolean(),
  /** 0 (worst) to 100. */
  score: z.int().min(0).max(100).optional(),
  findings: z
    .array(
      z.object({
        /** A short identifier: may stand in events and logs. */
        code: z.string().regex(/^[a-z][a-z0-9-]{0,63}$/),
        /** Where: a path into the input, such as `input.body`. */
        path: z.string().max(500).optional(),
        /** One sentence for the approver; a payload, so it may say more than a code. */
        sentence: z.string().max(2_000),
      }),
    )
    .max(200),
});

/** Any JSON, untouched: a schema that rebuilt it would drop keys such as `__proto__`, and what is judged is what is performed. */
const untouched = z.unknown() as z.ZodType<Json>;

/** What a check is told. The same for every check, so that any read capability with this input can be one. */
export const checkInput = z.object({
  call: z.string(),
  capability: z.string(),
  principal: z.string(),
  effect: z.enum(["read", "write", "destroy"]),
  input: untouched,
  preview: untouched.optional(),
});

export type CheckInput = z.output<typeof checkInput>;

/** How one check ended for one subject. `error`: it could not be run, which refuses whatever the guard says. */
export interface CheckResult extends z.output<typeof checkResult> {
  readonly check: string;
  readonly error?: true;
}

/** The results a call has, and the digest of what they are about: they count for that and nothing else. */
export interface Checked {
  readonly subject: string;
  readonly results: readonly CheckResult[];
}
