import { Bench } from "./conformance-bench.ts";
import { composites } from "./conformance-composites.ts";
import { crashes } from "./conformance-crashes.ts";
import { fence } from "./conformance-fence.ts";
import { floods } from "./conformance-floods.ts";
import { freezes } from "./conformance-freezes.ts";
import { gate } from "./conformance-gate.ts";
import { grants } from "./conformance-grants.ts";
import type { Prove, StoreHarness, TestRunner } from "./conformance-harness.ts";
import { limits } from "./conformance-limits.ts";
import { locks } from "./conformance-locks.ts";
import { opening } from "./conformance-opening.ts";
import { places } from "./conformance-places.ts";
import { queues } from "./conformance-queues.ts";
import { resolution } from "./conformance-resolution.ts";
import { rounds } from "./conformance-rounds.ts";
import { standIns } from "./conformance-stand-ins.ts";
import { succession } from "./conformance-succession.ts";
import { undos } from "./conformance-undos.ts";
import { values } from "./conformance-values.ts";

export type { OtherLife, StoreHarness, TestRunner } from "./conformance-harness.ts";

const chapters = {
  opening,
  fence,
  rounds,
  locks,
  queues,
  values,
  gate,
  freezes,
  limits,
  places,
  grants,
  crashes,
  succession,
  resolution,
  standIns,
  floods,
  composites,
  undos,
};

/** What every store must do, as tests: run against the model here and against PostgreSQL by the server. */
export function storeConformance(
  name: string,
  makeHarness: () => Promise<StoreHarness>,
  { describe, it, expect }: TestRunner,
): void {
  const prove: Prove = (claim, body) =>
    it(claim, async () => {
      const harness = await makeHarness();
      const bench = new Bench(harness);
      await harness.addPrincipal(bench.agent());
      try {
        await body(bench);
      } finally {
        await harness.close?.();
      }
    });
  describe(name, () => {
    for (const [title, chapter] of Object.entries(chapters)) {
      describe(title, () => chapter(prove, expect));
    }
  });
}
