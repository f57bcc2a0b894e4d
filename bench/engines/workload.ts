/** The amount of work of each measurement. */
export interface EnginesWorkload {
  readonly rounds: number;
  /** The unmeasured calls of each cluster before the first round. */
  readonly first: { readonly calls: number; readonly withinMs: number };
  readonly warmMs: number;
  readonly measureMs: number;
  readonly pace: { readonly perSecond: number; readonly seconds: number; readonly unmeasured: number };
  /** The numbers of waiting approvals to measure, in ascending order. */
  readonly waiting: readonly number[];
  readonly sweeps: number;
  /** The time limit of the run. */
  readonly seconds: number;
}

const fullWorkload: EnginesWorkload = {
  rounds: 3,
  first: { calls: 600, withinMs: 8_000 },
  warmMs: 500,
  measureMs: 2_000,
  pace: { perSecond: 10, seconds: 5, unmeasured: 5 },
  waiting: [1_000, 10_000],
  sweeps: 100,
  seconds: 1_500,
};

const quickWorkload: EnginesWorkload = {
  rounds: 1,
  first: { calls: 50, withinMs: 2_000 },
  warmMs: 250,
  measureMs: 800,
  pace: { perSecond: 10, seconds: 1, unmeasured: 2 },
  waiting: [1_000],
  sweeps: 10,
  seconds: 400,
};

export const pickEnginesWorkload = (isQuick: boolean): EnginesWorkload =>
  isQuick ? quickWorkload : fullWorkload;
