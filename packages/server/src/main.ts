// The public API of the server package, for the command line and other programs.

export { codingAgent } from "./adapters/coding-agent/index.ts";
export {
  type ConformanceCase,
  type ConformanceReport,
  type ConformanceTest,
  defineConformanceTest,
  runConformanceTest,
} from "./adapters/conformance/index.ts";
export { files } from "./adapters/files/index.ts";
export { git } from "./adapters/git/index.ts";
export { http } from "./adapters/http/index.ts";
export { type McpDocument, parseMcpServers } from "./adapters/mcp/document.ts";
export {
  approvePins,
  listWaitingPins,
  type McpWaitingPin,
  mcp,
  type PinsLocation,
} from "./adapters/mcp/index.ts";
export { openapi } from "./adapters/openapi/index.ts";
export { findProgram, findSandbox, searchPath } from "./adapters/process/index.ts";
export { remote } from "./adapters/remote/index.ts";
export { postgres } from "./adapters/sql/index.ts";
export { terminal } from "./adapters/terminal/index.ts";
export { yamlTools } from "./adapters/yaml/index.ts";
export { checkConfig, checkStart } from "./config/check-config.ts";
export { type Config, defineConfig } from "./config/config.ts";
export {
  createPolicyWorkbench,
  type LintFinding,
  type PolicyTestResult,
  type PolicyWorkbench,
} from "./policy/workbench.ts";
export {
  checkReplay,
  type GeneratedKey,
  generateApiKey,
  generateSecret,
  migrateDatabase,
  type Provisioner,
  provision,
  type ReplayCheck,
  type ReplayDifference,
  recoverTenant,
} from "./postgres/index.ts";
export { openMcpLogin, openMcpLogout } from "./services/mcp-login.ts";
export { claimFolder } from "./start/data-folder.ts";
export { type ParaphOptions, type ParaphServer, startParaph } from "./start/start-paraph.ts";
export { createFileSigner } from "./system/signer.ts";
export { createLog, type Log } from "./telemetry/index.ts";
