import { z } from "zod";
import type { Json } from "../json.ts";
import type { PlanRequest } from "./plan-document.ts";

/** The ordered list of tool steps that came before plans: `contracts/executor/toolchain.v1.json`. */
export const toolChain = z.strictObject({
  version: z.literal(1).optional(),
  steps: z
    .array(
      z.strictObject({
        tool: z.string().min(3).max(128),
        args: z.unknown() as z.ZodType<Json>,
        requires_confirmation: z.boolean().optional(),
        visibility: z
          .enum(["public", "private"])
          .optional()
          .describe("private: only who decides about it and who asked see the step's detail."),
      }),
    )
    .min(1)
    .max(1_000),
});

export type ToolChain = z.output<typeof toolChain>;

/** The same as a plan: its steps in their order, numbered from 1. What looks like a taken value is none in a tool chain. */
export function toPlanDocument({ steps }: ToolChain): PlanRequest {
  return {
    version: 1,
    onFailure: "stop",
    steps: steps.map(({ tool, args, requires_confirmation, visibility }, index) => ({
      id: String(index + 1),
      capability: tool,
      input: { $literal: args },
      ...(requires_confirmation !== undefined && { requires_confirmation }),
      ...(visibility && { visibility: visibility === "private" ? "approvers" : "everyone" }),
    })),
  };
}
