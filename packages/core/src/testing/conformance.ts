import { StoreFixture } from "./conformance-bench.ts";
import { compositeSuite } from "./conformance-composites.ts";
import { crashSuite } from "./conformance-crashes.ts";
import { fenceSuite } from "./conformance-fence.ts";
import { duplicateSuite } from "./conformance-floods.ts";
import { freezeSuite } from "./conformance-freezes.ts";
import { gateSuite } from "./conformance-gate.ts";
import { grantSuite } from "./conformance-grants.ts";
import type { DefineTest, StoreHarness, TestRunner } from "./conformance-harness.ts";
import { limitSuite } from "./conformance-limits.ts";
import { lockSuite } from "./conformance-locks.ts";
import { openingSuite } from "./conformance-opening.ts";
import { placeSuite } from "./conformance-places.ts";
import { queueSuite } from "./conformance-queues.ts";
import { resolutionSuite } from "./conformance-resolution.ts";
import { roundSuite } from "./conformance-rounds.ts";
import { delegationSuite } from "./conformance-stand-ins.ts";
import { successionSuite } from "./conformance-succession.ts";
import { undoSuite } from "./conformance-undos.ts";
import { valueSuite } from "./conformance-values.ts";

export type { OtherProcess, StoreHarness, TestRunner } from "./conformance-harness.ts";

const suites = {
  opening: openingSuite,
  fence: fenceSuite,
  rounds: roundSuite,
  locks: lockSuite,
  queues: queueSuite,
  values: valueSuite,
  gate: gateSuite,
  freezes: freezeSuite,
  limits: limitSuite,
  places: placeSuite,
  grants: grantSuite,
  crashes: crashSuite,
  succession: successionSuite,
  resolution: resolutionSuite,
  standIns: delegationSuite,
  floods: duplicateSuite,
  composites: compositeSuite,
  undos: undoSuite,
};

/** What every store must do, as tests: run against the model here and against PostgreSQL by the server. */
export function storeConformance(
  name: string,
  makeHarness: () => Promise<StoreHarness>,
  { describe, it, expect }: TestRunner,
): void {
  const prove: DefineTest = (claim, body) =>
    it(claim, async () => {
      const harness = await makeHarness();
      const bench = new StoreFixture(harness);
      await harness.addPrincipal(bench.createAgent());
      try {
        await body(bench);
      } finally {
        await harness.close?.();
      }
    });
  describe(name, () => {
    for (const [title, chapter] of Object.entries(suites)) {
      describe(title, () => chapter(prove, expect));
    }
  });
}
