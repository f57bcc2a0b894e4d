import { compositeSuite } from "./composites.ts";
import { crashSuite } from "./crashes.ts";
import { delegationSuite } from "./delegations.ts";
import { duplicateSuite } from "./duplicates.ts";
import { fenceSuite } from "./fence.ts";
import { freezeSuite } from "./freezes.ts";
import { gateSuite } from "./gate.ts";
import { grantSuite } from "./grants.ts";
import type { DefineTest, StoreHarness, TestRunner } from "./harness.ts";
import { limitSuite } from "./limits.ts";
import { lockSuite } from "./locks.ts";
import { openingSuite } from "./opening.ts";
import { placeSuite } from "./places.ts";
import { queueSuite } from "./queues.ts";
import { resolutionSuite } from "./resolution.ts";
import { roundSuite } from "./rounds.ts";
import { StoreFixture } from "./store-fixture.ts";
import { successionSuite } from "./succession.ts";
import { undoSuite } from "./undos.ts";
import { valueSuite } from "./values.ts";

export type { OtherProcess, StoreHarness, TestRunner } from "./harness.ts";

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
  delegations: delegationSuite,
  floods: duplicateSuite,
  composites: compositeSuite,
  undos: undoSuite,
};

/**
 * Defines the tests that every store must pass. They run against the model here, and the server runs them against
 * PostgreSQL.
 */
export function storeConformance(
  name: string,
  makeHarness: () => Promise<StoreHarness>,
  { describe, it, expect }: TestRunner,
): void {
  const prove: DefineTest = (claim, body) =>
    it(claim, async () => {
      const harness = await makeHarness();
      const fixture = new StoreFixture(harness);
      await harness.addPrincipal(fixture.createAgent());
      try {
        await body(fixture);
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
