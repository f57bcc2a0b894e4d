import { z } from "zod";

/**
 * The hook's report on a tool use. It contains the outcome and the size of the output, but never the output itself
 * [P10].
 */
export const toolReport = z.strictObject({
  ended: z.enum(["well", "badly"]),
  exitCode: z.int().optional(),
  bytes: z.int().min(0).optional().describe("the size of the tool's output"),
  durationMs: z.int().min(0).optional(),
});
