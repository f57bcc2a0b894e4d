// The exports that a `paraph.config.ts` imports from "paraph".

export { caldav } from "@paraph/adapters/calendar";
export { codingAgent } from "@paraph/adapters/coding-agent";
export {
  type ConformanceCase,
  type ConformanceTest,
  defineConformanceTest,
} from "@paraph/adapters/conformance";
export { files } from "@paraph/adapters/files";
export { git } from "@paraph/adapters/git";
export { http } from "@paraph/adapters/http";
export { mailbox } from "@paraph/adapters/mail";
export { mcp } from "@paraph/adapters/mcp";
export { openapi } from "@paraph/adapters/openapi";
export { remote } from "@paraph/adapters/remote";
export { postgres } from "@paraph/adapters/sql";
export { terminal } from "@paraph/adapters/terminal";
export { yamlTools } from "@paraph/adapters/yaml";
export {
  type Adapter,
  type Capability,
  type CapabilityDefinition,
  CapabilityError,
  type Change,
  type Duration,
  defineAdapter,
  defineCapability,
  type ExecutionContext,
  type Health,
  type Json,
  type Observation,
  type OpenAdapter,
  type Preview,
  type Probe,
  type PublicKey,
  toPublicKey,
  type Undo,
} from "@paraph/core";
export {
  type Config,
  createSealer,
  type DeploymentSigner,
  defineConfig,
  mail,
  push,
  slack,
} from "@paraph/server";
