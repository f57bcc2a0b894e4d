// What a `paraph.config.ts` imports from "paraph".
export {
  type Adapter,
  type Capability,
  type CapabilityDefinition,
  CapabilityError,
  type Change,
  type Duration,
  defineAdapter,
  defineCapability,
  type Health,
  type Json,
  type Observation,
  type Preview,
  type Probe,
  type Undo,
  type World,
} from "@paraph/core";
export { type Config, defineConfig, files } from "@paraph/server";
