// For agents built with the Vercel AI SDK.
export { updatePendingResults } from "./catch-up.ts";
export { createGovernedTools, type GovernedTool, type GovernedTools } from "./governed-tools.ts";
export { createTools, type ToolsOptions } from "./tools.ts";
