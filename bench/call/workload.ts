/**
 * The parts of a run and their durations. Slices are short and alternate, so that other work on the machine affects all
 * variants equally.
 */
export interface CallWorkload {
  readonly rounds: number;
  readonly warmMs: number;
  /** The duration of a slice with one connection, which measures latency. */
  readonly singleMs: number;
  /** The duration of a slice with many connections, which measures throughput. */
  readonly manyMs: number;
  readonly connections: readonly [single: 1, some: number, many: number];
  /**
   * The numbers of waiting approvals to measure. Each measurement is compared with a cluster that has no waiting
   * approvals.
   */
  readonly waiting: readonly number[];
  /**
   * The unmeasured calls of every variant before the first round. They let V8 compile code and PostgreSQL plan queries.
   */
  readonly first: { readonly calls: number; readonly withinMs: number };
  /** The part of `seconds` that the first comparison may take. The rest is for the waiting approvals. */
  readonly secondsForRounds: number;
  /** The time after which no round may end. The run is aborted after one and a half times as long. */
  readonly seconds: number;
}

const fullWorkload: CallWorkload = {
  rounds: 4,
  warmMs: 700,
  singleMs: 2_500,
  manyMs: 5_000,
  connections: [1, 32, 64],
  waiting: [1_000, 20_000],
  first: { calls: 3_000, withinMs: 12_000 },
  secondsForRounds: 250,
  seconds: 470,
};

const quickWorkload: CallWorkload = {
  rounds: 2,
  warmMs: 250,
  singleMs: 800,
  manyMs: 1_200,
  connections: [1, 32, 64],
  waiting: [1_000],
  first: { calls: 400, withinMs: 2_500 },
  secondsForRounds: 40,
  seconds: 54,
};

export const pickCallWorkload = (isQuick: boolean): CallWorkload => (isQuick ? quickWorkload : fullWorkload);
