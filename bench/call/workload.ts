/** How long a run takes, and of what. Slices are short and take turns, so that what the machine does otherwise hits all alike. */
export interface CallWorkload {
  readonly rounds: number;
  readonly warmMs: number;
  /** A slice with one connection, which is for latency. */
  readonly singleMs: number;
  /** A slice with many connections, which is for throughput. */
  readonly manyMs: number;
  readonly connections: readonly [single: 1, some: number, many: number];
  /** How many approvals wait, each step compared with none. */
  readonly waiting: readonly number[];
  /** Before the first round every variant is called so often, unmeasured: code has to be compiled, plans made. */
  readonly first: { readonly calls: number; readonly withinMs: number };
  /** Of these, how many the first comparison may take; what is left is for the waiting approvals. */
  readonly secondsForRounds: number;
  /** No round begins that would end after this; the whole is given up after one and a half times as much. */
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
