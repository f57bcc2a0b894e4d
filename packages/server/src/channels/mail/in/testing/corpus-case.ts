import type { Draft } from "./draft.ts";

/** One synthetic mail and the verdict on it. */
export interface CorpusCase {
  readonly name: string;
  readonly mail: Draft;
  /** The act, or `answer: code` or `ignore: code`. */
  readonly verdict: string;
  /** Whether the person who got the notice wrote this mail, and wrote it for this notice. */
  readonly genuine: boolean;
}
