import { z } from "zod";
import type { CapabilityTool } from "../tools/capability-tool.ts";
import { toToolResult } from "../tools/tool-result.ts";
import { defineBuiltinTool } from "./builtin-tool.ts";

const maxResults = 20;

export const findCapabilitiesTool = defineBuiltinTool({
  name: "find_capabilities",
  description:
    "Find tools by keywords. Use it if there are too many tools to read. It returns the best matches with their input schemas.",
  input: z.strictObject({
    query: z.string().min(1).max(200).describe("A few keywords: the action and its target."),
    limit: z.int().min(1).max(maxResults).optional().describe("Maximum number of results (default: 10)."),
  }),
  annotations: { readOnlyHint: true },
  run: async ({ query, limit = 10 }, { toolboxes, requestContext }) => {
    const words = splitWords(query);
    const found = toolboxes
      .listVisibleTools(requestContext)
      .map((tool) => ({ tool, score: scoreTool(tool, words) }))
      .filter(({ score }) => score > 0)
      .sort((a, b) => b.score - a.score || (a.tool.capability < b.tool.capability ? -1 : 1))
      .slice(0, limit)
      .map(({ tool: { capability, definition } }) => ({
        tool: definition.name,
        capability,
        description: definition.description ?? "",
        inputSchema: definition.inputSchema,
      }));
    return toToolResult(JSON.parse(JSON.stringify({ found })));
  },
});

function splitWords(text: string): readonly string[] {
  return text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
}

/**
 * Scores a tool by the words of the query. A match in the name counts more than a match in the description. An equal
 * word counts more than a word that only begins like the query's word.
 */
function scoreTool({ capability, definition }: CapabilityTool, words: readonly string[]): number {
  const names = splitWords(capability.replaceAll("_", " "));
  const told = splitWords(definition.description ?? "");
  const hits = (where: readonly string[], word: string) =>
    where.includes(word) ? 2 : where.some((one) => one.startsWith(word) || word.startsWith(one)) ? 1 : 0;
  return words.reduce((sum, word) => sum + 3 * hits(names, word) + hits(told, word), 0);
}
