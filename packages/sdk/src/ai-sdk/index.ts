// Entry point for agents built with the Vercel AI SDK.

export { createGovernedTools, type GovernedTool, type GovernedTools } from "./governed-tools.ts";
export { createTools, type ToolsOptions } from "./tools.ts";
export { updatePendingResults } from "./update-pending-results.ts";
