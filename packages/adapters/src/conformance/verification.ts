import type { Verdict } from "./verdict.ts";

/** One verification of a subject: of a case, or of the adapter as a whole. */
export interface Verification<S> {
  readonly name: string;
  /** The number of the rule that this verification checks. Unset if the rule has no number. */
  readonly rule?: string;
  /** The verified property, as one sentence. */
  readonly claim: string;
  /** The verifications of the same subject that must pass before this one is meaningful. */
  readonly after?: readonly string[];
  /** Whether the verification applies to this subject. */
  readonly appliesTo: (subject: S) => boolean;
  readonly verify: (subject: S) => Promise<Verdict>;
}
