export { type OtherLife, type StoreHarness, storeConformance, type TestRunner } from "./conformance.ts";
export { type Boundary, crashing, type Fate, StoreAway } from "./crashing.ts";
export { ModelStore, type StoreLife } from "./model-store.ts";
export { type EffectRecord, type Host, Outside, outsideCapabilities, outsideRules } from "./outside.ts";
export { type PlainRule, plainPolicy } from "./plain-policy.ts";
export { rawEvent } from "./raw-event.ts";
export { SeededRandom } from "./seeded-random.ts";
export { type TestSigner, testSigner } from "./test-signer.ts";
export { VirtualClock } from "./virtual-clock.ts";
