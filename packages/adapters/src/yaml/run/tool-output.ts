import { z } from "zod";

/** The output of every tool. */
export type ToolOutput = z.output<typeof toolOutput>;

export const toolOutput = z.object({
  text: z.string(),
  data: z.unknown().optional().describe("the parsed output, if it is JSON"),
  tokens: z.object({ input: z.int().optional(), output: z.int().optional() }).optional(),
  cost: z.number().optional().describe("the cost that the tool reports, in whole units of the currency"),
  exitCode: z.int(),
  truncated: z.boolean().describe("whether the output was cut at its limit"),
  unread: z.string().optional().describe("why the output could not be parsed by its definition"),
});
