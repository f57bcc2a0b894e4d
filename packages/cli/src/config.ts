// What a `paraph.config.ts` imports from "paraph".
export {
  type Capability,
  type CapabilityDefinition,
  CapabilityError,
  type Change,
  type Duration,
  defineCapability,
  type Json,
  type Preview,
  type Probe,
  type Undo,
  type World,
} from "@paraph/core";
export { type Adapter, type Config, defineConfig, files } from "@paraph/server";
