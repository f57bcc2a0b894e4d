// What the command line and other programs may use of the server.

export { codingAgent } from "./adapters/coding-agent/index.ts";
export {
  type Case,
  defineTrial,
  runTrial,
  type Trial,
  type TrialReport,
} from "./adapters/conformance/index.ts";
export { files } from "./adapters/files/index.ts";
export { git } from "./adapters/git/index.ts";
export { http } from "./adapters/http/index.ts";
export { type McpDocument, mcpServersIn } from "./adapters/mcp/document.ts";
export { approvePins, mcp, type PinsPlace, type WaitingPin, waitingPins } from "./adapters/mcp/index.ts";
export { openapi } from "./adapters/openapi/index.ts";
export { programOf, sandboxHere, searchPath } from "./adapters/process/index.ts";
export { remote } from "./adapters/remote/index.ts";
export { postgres } from "./adapters/sql/index.ts";
export { terminal } from "./adapters/terminal/index.ts";
export { yamlTools } from "./adapters/yaml/index.ts";
export { checkConfig, checkStart } from "./config/check-config.ts";
export { type Config, defineConfig } from "./config/config.ts";
export { type LintFinding, policyWorkbench, type TestResult, type Workbench } from "./policy/workbench.ts";
export {
  checkReplay,
  type Difference,
  type NewKey,
  newKey,
  newSecret,
  type ReplayCheck,
  recoverTenant,
} from "./postgres/index.ts";
export { requireFree } from "./servers/index.ts";
export { mcpLogin, mcpLogout } from "./services/mcp-logins.ts";
export { claimFolder } from "./start/data-folder.ts";
export { type Local, type LocalAccess, localFiles, startLocal } from "./start/local.ts";
export { type Paraph, type ParaphOptions, startParaph } from "./start/start.ts";
export { fileSigner } from "./system/signer.ts";
export { createLog, type Log } from "./telemetry/index.ts";
