// For agents built with the Vercel AI SDK.
export { catchUp } from "./catch-up.ts";
export { type GovernedTools, governedTools, type OwnTool } from "./governed-tools.ts";
export { type ToolsOptions, tools } from "./tools.ts";
