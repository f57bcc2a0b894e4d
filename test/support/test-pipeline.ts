import { enforceAll } from "../../packages/core/src/policy/ruling.ts";
import type { Ports } from "../../packages/core/src/ports.ts";
import type { Principal } from "../../packages/core/src/principal.ts";
import { CallLinks } from "../../packages/core/src/receipts/call-links.ts";
import { ModelStore } from "../../packages/core/src/testing/model/model-store.ts";
import { SeededRandom } from "../../packages/core/src/testing/seeded-random.ts";
import { createTestSigner, type TestSigner } from "../../packages/core/src/testing/test-signer.ts";
import { VirtualClock } from "../../packages/core/src/testing/virtual-clock.ts";

export const testTenant = "acme";
export const testAgent: Principal = { tenant: testTenant, id: "agent", kind: "agent", owner: "owner" };
export const createPerson = (id: string): Principal => ({ tenant: testTenant, id, kind: "person" });

/** The pipeline over the model store, for tests that advance a call step by step. */
export interface Pipeline {
  readonly clock: VirtualClock;
  readonly store: ModelStore;
  readonly signer: TestSigner;
  /** Returns the ports of one process. The default store is the model itself. */
  ports(given: Pick<Ports, "policy" | "catalog"> & Partial<Ports>): Ports;
}

export async function createTestPipeline(seed: string): Promise<Pipeline> {
  const clock = new VirtualClock();
  const store = new ModelStore(clock);
  const signer = await createTestSigner();
  const random = new SeededRandom(seed);
  store.addPrincipal(testAgent);
  for (const id of ["owner", "ana"]) store.addPrincipal(createPerson(id));
  return {
    clock,
    store,
    signer,
    ports: (given) => ({
      store,
      signer,
      sealer: signer,
      links: new CallLinks(),
      clock,
      random,
      credentials: { resolve: async () => "" },
      telemetry: { span: (_name, _about, body) => body(), measure: () => {} },
      settings: {
        askMs: { low: 24 * 3_600_000, normal: 24 * 3_600_000, high: 4 * 3_600_000, critical: 900_000 },
        acknowledgeMs: 900_000,
        previewPatienceMs: 2_000,
        sweepGraceMs: 5_000,
        enforcement: enforceAll,
        limits: () => [],
        escalation: { low: [], normal: [], high: [], critical: [] },
        maxDenials: 10,
      },
      freezes: { inForce: async () => undefined },
      ...given,
    }),
  };
}
