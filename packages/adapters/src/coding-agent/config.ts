import { risks } from "@paraph/core";
import { z } from "zod";

const createRiskConfig = (use: string) =>
  z.enum(risks).describe(`risk of ${use} (default: from the contract)`);

/**
 * The configured risks, which replace the risks in the contracts. For example, an operator can lower the risk of a
 * sandboxed shell, or raise the risk of edits that go to production.
 */
export const codingConfig = z
  .strictObject({
    risk: z
      .strictObject({
        bash: createRiskConfig("commands in the agent's shell"),
        write: createRiskConfig("writing files"),
        edit: createRiskConfig("editing files"),
        patch: createRiskConfig("applying patches"),
        notebook_edit: createRiskConfig("editing notebooks"),
        read: createRiskConfig("reading files"),
        web_fetch: createRiskConfig("fetching web pages"),
        web_search: createRiskConfig("searching the web"),
        skill: createRiskConfig("using skills"),
        inner: createRiskConfig("tools that only affect the agent itself"),
        mcp: createRiskConfig("tools of MCP servers that are not behind Paraph"),
        unknown: createRiskConfig("tools that Paraph does not know"),
      })
      .partial()
      .optional()
      .describe("risks that replace those in the contracts, by the last part of the capability's name"),
  })
  .optional();

export type CodingConfig = NonNullable<z.output<typeof codingConfig>>;
