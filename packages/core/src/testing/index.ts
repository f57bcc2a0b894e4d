export { type OtherProcess, type StoreHarness, storeConformance, type TestRunner } from "./conformance.ts";
export { type BoundaryFate, createCrashingStore, type StoreBoundary, StoreUnavailable } from "./crashing.ts";
export { ModelStore, type ProcessStore } from "./model-store.ts";
export {
  type EffectRecord,
  type OutsideHost,
  OutsideSystem,
  outsideCapabilities,
  outsideRules,
} from "./outside.ts";
export { createPlainPolicy, type PlainRule } from "./plain-policy.ts";
export { createRawEvent } from "./raw-event.ts";
export { SeededRandom } from "./seeded-random.ts";
export { createTestSigner, type TestSigner } from "./test-signer.ts";
export { VirtualClock } from "./virtual-clock.ts";
