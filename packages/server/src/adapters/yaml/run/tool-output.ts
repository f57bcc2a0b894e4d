import { z } from "zod";

/** The output of every tool. */
export type ToolOutput = z.output<typeof toolOutput>;

export const toolOutput = z.object({
  text: z.string(),
  data: z.unknown().optional().describe("where the output is JSON"),
  tokens: z.object({ input: z.int().optional(), output: z.int().optional() }).optional(),
  cost: z.number().optional().describe("in whole units of money, as the tool tells"),
  exitCode: z.int(),
  truncated: z.boolean().describe("the tool put out more than its limit"),
  unread: z.string().optional().describe("why the output could not be read as its definition says"),
});
