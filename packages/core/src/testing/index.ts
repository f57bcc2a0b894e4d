export {
  type OtherProcess,
  type StoreHarness,
  storeConformance,
  type TestRunner,
} from "./conformance/store-conformance.ts";
export { ModelStore, type ProcessStore } from "./model/model-store.ts";
export { createPlainPolicy, type PlainRule } from "./plain-policy.ts";
export { createRawEvent } from "./raw-event.ts";
export { SeededRandom } from "./seeded-random.ts";
export {
  type BoundaryFate,
  createCrashingStore,
  type StoreBoundary,
  StoreUnavailable,
} from "./simulation/crashing-store.ts";
export {
  type EffectRecord,
  type ExternalHost,
  ExternalSystem,
  externalCapabilities,
  externalRules,
} from "./simulation/external-system.ts";
export { createTestSigner, type TestSigner } from "./test-signer.ts";
export { VirtualClock } from "./virtual-clock.ts";
