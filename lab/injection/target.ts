/** A place where a hostile value could get out: a placeholder, a path, a ref, a URL, a header, an identifier. */
export interface InjectionTarget {
  readonly name: string;
  /** Of every hundred values, about how many are put here: slow targets get fewer. */
  readonly share: number;
  /** Builds a stage of its own inside this folder, with a spy that sees whatever gets out. */
  prepare(folder: string): Promise<InjectionStage>;
}

export interface InjectionStage {
  /** Puts one hostile value through, as an agent would. How that ends does not matter, only what it leaves behind. */
  put(value: string): Promise<void>;
  /** What got out since this was last asked, one sentence each: another process, a file outside, a forbidden request. */
  escapes(): Promise<readonly string[]>;
  /** How often the spy was reached as it should be: a target that refuses everything proves nothing. */
  reached(): number;
  close(): Promise<void>;
}
