import { z } from "zod";

/** What the agent's hook says came of it: how it ended and how much it said, never what it said [P10]. */
export const toolReport = z.strictObject({
  ended: z.enum(["well", "badly"]),
  exitCode: z.int().optional(),
  bytes: z.int().min(0).optional().describe("how much the tool answered"),
  durationMs: z.int().min(0).optional(),
});
