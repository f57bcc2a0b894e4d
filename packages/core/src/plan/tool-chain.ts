import { z } from "zod";
import type { Json } from "../json.ts";
import type { PlanRequest } from "./plan-document.ts";

/**
 * The schema of a tool chain, which is a list of tool steps in the format that preceded plans. Its published form is
 * `contracts/executor/toolchain.v1.json`.
 */
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
          .describe("private: only the approvers and the requester see the step's details."),
      }),
    )
    .min(1)
    .max(1_000),
});

/** A validated tool chain. */
export type ToolChain = z.output<typeof toolChain>;

/**
 * Converts a tool chain into a plan, with its steps in order, numbered from 1. A tool chain has no value references, so
 * its arguments are literals.
 */
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
