/** The kinds of calls whose cost is measured. */
export const callKinds = ["read", "write", "locked", "asked"] as const;
export type CallKind = (typeof callKinds)[number];

export const kindTitles: Readonly<Record<CallKind, string>> = {
  read: "read in place",
  write: "write in place",
  locked: "write on one lock key",
  asked: "request, approval and write",
};

/** The cost of one call of a kind. */
export interface CallCost {
  readonly calls: number;
  /** The microseconds of processor time, at the speed of the reference machine. */
  readonly api: number;
  readonly worker: number;
  readonly postgres: number;
  readonly restate: number;
  readonly walBytes: number;
  readonly commits: number;
  readonly fsyncs: number;
  /** The self time of PostgreSQL functions in microseconds, measured in a slice of its own. Waits are included. */
  readonly functions: readonly { readonly name: string; readonly microseconds: number }[];
}

export type Budget = Readonly<Record<CallKind, CallCost>>;

export const totalCpu = ({ api, worker, postgres, restate }: CallCost): number =>
  api + worker + postgres + restate;
