import { type Json, planCapability, reachesInput, readPlan } from "@paraph/core";
import { z } from "zod";
import { refusedAnswer } from "../answer.ts";
import { place } from "../call-tool.ts";
import { ownTool, type Room } from "./own-tool.ts";

const step = z.strictObject({
  id: z.string().min(1).max(64).describe("Names the step within the plan."),
  tool: z.string().min(1).max(128).describe("A tool's name, or its capability's."),
  arguments: z
    .record(z.string(), z.unknown())
    .describe('A value from an earlier step: `{"$from": "step", "path": "/field"}`.'),
  after: z
    .array(z.string())
    .max(1_000)
    .optional()
    .describe("Steps that come first; the one before it unless given."),
});

export const makePlan = ownTool({
  name: "make_plan",
  description:
    "Ask for several steps as one: previewed and approved as a whole, then taken in order, each once. Better than many calls that each wait for a person.",
  input: z.strictObject({
    title: z.string().max(200).optional(),
    onFailure: z.enum(["stop", "continue", "compensate"]).optional().describe("`stop` unless given."),
    steps: z.array(step).min(1).max(1_000),
  }),
  annotations: { readOnlyHint: false },
  run: async ({ steps, ...plan }, room) => {
    const written = steps.map(({ tool, arguments: given, ...one }) => ({
      ...one,
      ...usedIn(tool, given, room),
    }));
    const input = JSON.parse(JSON.stringify({ version: 1, ...plan, steps: written })) as Json;
    readPlan(input);
    if (!reachesInput(room.visit.caller, planCapability, input))
      return refusedAnswer("The key in use does not reach every step: use one with the scopes for them.");
    return place(planCapability, input, room);
  },
});

/** A step names a tool as its client knows it. */
function usedIn(name: string, given: Record<string, unknown>, { toolboxes, visit }: Room) {
  const box = toolboxes.behind(visit.caller.principal, visit.server);
  const tool = box?.byName.get(name) ?? box?.byCapability.get(name);
  return { capability: tool?.capability ?? name, input: tool ? tool.inputFrom(given as never) : given };
}
