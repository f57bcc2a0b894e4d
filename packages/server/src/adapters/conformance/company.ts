import type { Bench } from "./bench.ts";
import type { Opened } from "./performer/order.ts";
import type { Ground, Trial } from "./trial.ts";
import type { Troupe } from "./troupe.ts";

/** The adapter as a whole, with all it takes to try it. */
export interface Company {
  readonly trial: Trial;
  readonly ground: Ground;
  readonly troupe: Troupe;
  readonly opened: Opened;
  readonly benches: readonly Bench[];
}
