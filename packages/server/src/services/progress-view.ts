/** The progress of a call's attempt, as last reported. */
export interface ProgressView {
  readonly attempt: number;
  /** The revision number. Every report increases it. */
  readonly revision: number;
  readonly message: string | null;
  readonly fraction: number | null;
  /** The last part of the output. */
  readonly output: string;
  /** The length of the whole output so far. `output` holds only the end of it. */
  readonly putOut: number;
}
