/** Loads the MCP adapter at first use, because a deployment without MCP servers needs none of its libraries. */
export const loadMcp = () => import("@paraph/adapters/mcp");
