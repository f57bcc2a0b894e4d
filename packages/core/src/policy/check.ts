import { z } from "zod";
import type { Json } from "../json.ts";

/** The schema of a check's result. A check is a read capability that verifies a call before the call may continue. */
export const checkResult = z.object({
  passed: z.boolean(),
  /** From 0 (worst) to 100. */
  score: z.int().min(0).max(100).optional(),
  findings: z
    .array(
      z.object({
        /** A short identifier, which may appear in events and logs. */
        code: z.string().regex(/^[a-z][a-z0-9-]{0,63}$/),
        /** A path into the input, such as `input.body`. */
        path: z.string().max(500).optional(),
        /**
         * One sentence for the approver. Paraph stores it as a payload and not in events, so it may contain details of
         * the call.
         */
        sentence: z.string().max(2_000),
      }),
    )
    .max(200),
});

/** The finding of a check about a call. */
export type Verdict = z.output<typeof checkResult>;

/**
 * Accepts any JSON without rebuilding it. A schema that rebuilt it would drop keys such as `__proto__`, and a check
 * must see exactly what is performed.
 */
const untouched = z.unknown() as z.ZodType<Json>;

/**
 * The input schema of a check. It is the same for every check, so that any read capability with this input can serve as
 * a check.
 */
export const checkInput = z.object({
  call: z.string(),
  capability: z.string(),
  principal: z.string(),
  effect: z.enum(["read", "write", "destroy"]),
  input: untouched,
  preview: untouched.optional(),
});

/** The input of a check. */
export type CheckInput = z.output<typeof checkInput>;

/**
 * The result of one check for one subject. `error` means that the check could not run. Paraph then refuses the call,
 * regardless of the guard.
 */
export interface CheckResult extends Verdict {
  readonly check: string;
  readonly error?: true;
}

/** The check results of a call, with the digest of their subject. They count only for that subject. */
export interface Checked {
  readonly subject: string;
  readonly results: readonly CheckResult[];
}
