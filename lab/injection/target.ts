/**
 * An input through which a hostile value could escape: a placeholder, a path, a ref, a URL, a header or an identifier.
 */
export interface InjectionTarget {
  readonly name: string;
  /** The relative share of values for this target. Slow targets get fewer. */
  readonly share: number;
  /** Creates a stage inside this folder, with a detector that sees every escape. */
  prepare(folder: string): Promise<InjectionStage>;
}

export interface InjectionStage {
  /** Passes one hostile value to the input, as an agent would. Only the side effects matter, not the result. */
  put(value: string): Promise<void>;
  /**
   * Returns the escapes since the last call, one sentence each. An escape is another process, a changed file outside,
   * or a forbidden request.
   */
  escapes(): Promise<readonly string[]>;
  /** Returns how often a value reached the detector legitimately. A target that rejects every value proves nothing. */
  reached(): number;
  close(): Promise<void>;
}
