/** The amount of work of each measurement. */
export interface ApprovalsWorkload {
  /**
   * The numbers of approvals that wait, and of those with a message in Restate. Sending these messages is the slowest
   * part of the setup.
   */
  readonly waiting: { readonly rounds: number; readonly messages: number };
  readonly lists: { readonly walks: number; readonly maxPages: number };
  readonly pace: { readonly perSecond: number; readonly seconds: number; readonly unmeasured: number };
  /** The number of concurrent decisions on separate approvals, and on one approval. */
  readonly atOnce: number;
  readonly contended: number;
  readonly calls: { readonly rounds: number; readonly measureMs: number };
  /** The time limit of the run. */
  readonly seconds: number;
}

const fullWorkload: ApprovalsWorkload = {
  waiting: { rounds: 20_000, messages: 20_000 },
  lists: { walks: 2, maxPages: 500 },
  pace: { perSecond: 5, seconds: 60, unmeasured: 25 },
  atOnce: 1_000,
  contended: 10_000,
  calls: { rounds: 6, measureMs: 2_500 },
  seconds: 900,
};

const quickWorkload: ApprovalsWorkload = {
  waiting: { rounds: 20_000, messages: 2_000 },
  lists: { walks: 1, maxPages: 25 },
  pace: { perSecond: 5, seconds: 10, unmeasured: 10 },
  atOnce: 200,
  contended: 250,
  calls: { rounds: 2, measureMs: 700 },
  seconds: 240,
};

export const pickApprovalsWorkload = (isQuick: boolean): ApprovalsWorkload =>
  isQuick ? quickWorkload : fullWorkload;
