// What the command line and other programs may use of the server.
export { files } from "./adapters/files/index.ts";
export { type Config, defineConfig } from "./config.ts";
export { type Local, type LocalAccess, localFiles, readLocalAccess, startLocal } from "./local.ts";
export { checkReplay, type Difference, type NewKey, newKey, type ReplayCheck } from "./postgres/index.ts";
export { type Paraph, type ParaphOptions, startParaph } from "./start.ts";
export { fileSigner } from "./system/signer.ts";
export { createLog, type Log } from "./telemetry/index.ts";
export { type LintFinding, policyWorkbench, type TestResult, type Workbench } from "./workbench.ts";
