// The public API of the server package, for the command line and other programs.

export type { Channel, ChannelConfig, ChannelMessage, Delivery } from "./channels/channel.ts";
export { type MailOptions, mail } from "./channels/mail/mail.ts";
export { type PushOptions, push } from "./channels/push/push.ts";
export { type SlackOptions, slack } from "./channels/slack/slack.ts";
export { checkConfig, checkStart } from "./config/check-config.ts";
export { type Config, defineConfig } from "./config/config.ts";
export { listCedarFiles } from "./policy/policy-faults.ts";
export {
  createPolicyWorkbench,
  type LintFinding,
  type PolicyTestResult,
  type PolicyWorkbench,
} from "./policy/workbench.ts";
export {
  type CallStanding,
  checkReplay,
  countArchivable,
  createTenant,
  type DatabaseInspection,
  type ErasableCall,
  type ErasurePlan,
  eraseCalls,
  findCallStandings,
  type GeneratedKey,
  generateApiKey,
  generateSecret,
  inspectDatabase,
  type KeptPlace,
  type MigrationStep,
  migrateDatabase,
  type Provisioner,
  planErasure,
  provision,
  type RecordedRestore,
  type ReplayCheck,
  type ReplayDifference,
  type RetainResult,
  type RetainStep,
  recordRestore,
  recoverTenant,
  retainCalls,
} from "./postgres/index.ts";
export { openMcpLogin, openMcpLogout } from "./services/mcp-login.ts";
export { openConfiguredSigner } from "./start/configured-signer.ts";
export { claimFolder } from "./start/data-folder.ts";
export type { ParaphOptions, ParaphServer } from "./start/paraph-options.ts";
export { readRestateAddress } from "./start/restate-address.ts";
export { startParaph } from "./start/start-paraph.ts";
export { createSealer } from "./system/sealer.ts";
export { createFileSigner, type DeploymentSigner, type FileSigner } from "./system/signer.ts";
export { createLog, type Log } from "./telemetry/index.ts";
