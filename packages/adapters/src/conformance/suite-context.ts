import type { CaseContext } from "./case-context.ts";
import type { ConformanceTest, Fixture } from "./conformance-test.ts";
import type { OpenedAdapter } from "./process/commands.ts";
import type { ProcessPool } from "./process-pool.ts";

/** The adapter as a whole, with everything that a verification needs. */
export interface SuiteContext {
  readonly test: ConformanceTest;
  readonly fixture: Fixture;
  readonly pool: ProcessPool;
  readonly adapter: OpenedAdapter;
  readonly cases: readonly CaseContext[];
}
