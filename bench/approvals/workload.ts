/** How much of everything is done. */
export interface ApprovalsWorkload {
  /** How many approvals wait, and how many of them with their message in the engine: giving it those takes longest. */
  readonly waiting: { readonly rounds: number; readonly messages: number };
  readonly lists: { readonly walks: number; readonly mostPages: number };
  readonly pace: { readonly perSecond: number; readonly seconds: number; readonly unmeasured: number };
  /** So many decisions at once, each on an approval of its own, and so many on the same one. */
  readonly atOnce: number;
  readonly contended: number;
  readonly calls: { readonly rounds: number; readonly measureMs: number };
  /** Given up after so long. */
  readonly seconds: number;
}

const fullWorkload: ApprovalsWorkload = {
  waiting: { rounds: 20_000, messages: 20_000 },
  lists: { walks: 2, mostPages: 500 },
  pace: { perSecond: 5, seconds: 60, unmeasured: 25 },
  atOnce: 1_000,
  contended: 10_000,
  calls: { rounds: 6, measureMs: 2_500 },
  seconds: 900,
};

const quickWorkload: ApprovalsWorkload = {
  waiting: { rounds: 20_000, messages: 2_000 },
  lists: { walks: 1, mostPages: 25 },
  pace: { perSecond: 5, seconds: 10, unmeasured: 10 },
  atOnce: 200,
  contended: 250,
  calls: { rounds: 2, measureMs: 700 },
  seconds: 240,
};

export const pickApprovalsWorkload = (isQuick: boolean): ApprovalsWorkload =>
  isQuick ? quickWorkload : fullWorkload;
