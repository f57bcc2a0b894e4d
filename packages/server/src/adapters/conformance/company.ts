import type { CaseContext } from "./bench.ts";
import type { OpenedAdapter } from "./performer/order.ts";
import type { ConformanceTest, Fixture } from "./trial.ts";
import type { ProcessPool } from "./troupe.ts";

/** The adapter as a whole, with all it takes to try it. */
export interface SuiteContext {
  readonly test: ConformanceTest;
  readonly fixture: Fixture;
  readonly pool: ProcessPool;
  readonly adapter: OpenedAdapter;
  readonly cases: readonly CaseContext[];
}
