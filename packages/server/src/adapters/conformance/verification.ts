import type { Verdict } from "./verdict.ts";

/** One thing that is proven of a subject: of a case, or of the adapter as a whole. */
export interface Verification<S> {
  readonly name: string;
  /** The rule it proves, where it has a number. */
  readonly rule?: string;
  /** What is proven, as one sentence. */
  readonly claim: string;
  /** Those of the same subject that must hold before this says anything. */
  readonly after?: readonly string[];
  /** Whether it is any business of this subject's. */
  readonly appliesTo: (subject: S) => boolean;
  readonly verify: (subject: S) => Promise<Verdict>;
}
