import { z } from "zod";
import { type PlannedStep, visibilities } from "../capability/composite.ts";
import type { Json } from "../json.ts";
import { buildCallerGuards } from "../policy/requirements.ts";
import { findReferenceFault, listReferencedSteps } from "./value-references.ts";

/** Accepts any JSON without rebuilding it, because a schema that rebuilt it would drop keys such as `__proto__`. */
const anyJson = z.unknown() as z.ZodType<Json>;

const stepIdSchema = z
  .string()
  .regex(/^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/, "letters, digits, `-` and `_`, at most 64 of them");

const stepSchema = z.strictObject({
  id: stepIdSchema.describe("Names the step within the plan."),
  capability: z.string().min(3).max(128),
  input: anyJson.describe(
    'The capability\'s input. To use a value from an earlier output, write `{ "$from": "step", "path": "/field" }`.',
  ),
  after: z
    .array(stepIdSchema)
    .max(1_000)
    .optional()
    .describe(
      "Earlier steps that must end first (default: the previous step). With an empty list, the step waits for none.",
    ),
  requires_confirmation: z
    .boolean()
    .optional()
    .describe("A person has to approve this step, even if policy allows it."),
  visibility: z
    .enum(visibilities)
    .optional()
    .describe(
      "Who sees the step's details: everyone who sees the plan, or only the approvers and the requester.",
    ),
});

/** The reactions to a step that did not succeed. */
export const onFailures = ["stop", "continue", "compensate"] as const;

/** The maximum number of steps in one plan. */
export const maxPlanSteps = 1_000;

/** The schema of a plan as a caller writes it. Its published form is `contracts/plan.v1.json`. */
export const planDocument = z
  .strictObject({
    version: z.literal(1),
    title: z
      .string()
      .max(200)
      .optional()
      .describe("The requester's title for the plan. Paraph shows it and does not verify it."),
    onFailure: z
      .enum(onFailures)
      .default("stop")
      .describe(
        "stop: start no further step. continue: run the remaining steps whose inputs exist. compensate: stop, then undo the completed steps in reverse order.",
      ),
    steps: z.array(stepSchema).min(1).max(maxPlanSteps),
  })
  .superRefine(({ steps }, context) => {
    const earlier = new Set<string>();
    for (const [index, { id, after = [], input }] of steps.entries()) {
      const fault = (where: string, message: string) =>
        context.addIssue({ code: "custom", path: ["steps", index, where], message });
      if (earlier.has(id)) fault("id", `another step is called \`${id}\``);
      for (const one of after) if (!earlier.has(one)) fault("after", `\`${one}\` is not an earlier step`);
      const malformed = findReferenceFault(input);
      if (malformed !== undefined) fault("input", malformed);
      else
        for (const one of listReferencedSteps(input))
          if (!earlier.has(one))
            fault("input", `takes a value from \`${one}\`, which is not an earlier step`);
      earlier.add(id);
    }
  });

/** A validated plan, with its defaults. */
export type PlanDocument = z.output<typeof planDocument>;
/** A plan as a caller writes it, before defaults. */
export type PlanRequest = z.input<typeof planDocument>;

/**
 * [P13] Returns the steps of a plan. By default, each step runs after the previous one. A step with `after` waits for
 * the steps named there instead. Every step also waits for the steps from which it takes values.
 */
export function toPlannedSteps({ steps }: PlanDocument): PlannedStep[] {
  return steps.map((one, index) => {
    const takes = listReferencedSteps(one.input);
    const before = one.after ?? steps.slice(Math.max(0, index - 1), index).map(({ id }) => id);
    return {
      id: one.id,
      capability: one.capability,
      input: one.input,
      takes,
      after: [...new Set([...before, ...takes])],
      requirements: one.requires_confirmation ? buildCallerGuards({ people: 1 }) : [],
      visibility: one.visibility ?? "everyone",
    };
  });
}
