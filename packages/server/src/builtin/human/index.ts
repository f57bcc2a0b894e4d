import { type Capability, CapabilityError, defineCapability } from "@paraph/core";
import { z } from "zod";

const question = z.string().min(1).max(2_000);
const input = z
  .object({
    question,
    kind: z
      .enum(["confirm", "choice", "text"])
      .describe("What is wanted: a yes or no, one of the options, a text."),
    options: z.array(z.string().min(1).max(200)).min(2).max(20).optional(),
    why: z.string().max(2_000).optional().describe("Why it is asked, in the asker's own words."),
  })
  .refine(({ kind, options }) => (kind === "choice") === (options !== undefined), {
    message: "options: for `choice`, and for nothing else",
  })
  .refine(({ options = [] }) => new Set(options).size === options.length, {
    message: "options: each once",
  });

function toAnswerSchema({ kind, options = [] }: z.output<typeof input>): z.ZodType {
  switch (kind) {
    case "confirm":
      return z.boolean();
    case "choice":
      return z.enum(options);
    case "text":
      return z.string().min(1).max(10_000);
  }
}

/**
 * Creates the capabilities with which an agent asks a person. Only a person can answer, so approvers are always asked,
 * even if policy would allow the call.
 */
export function createHumanCapabilities(): Capability[] {
  return [
    defineCapability({
      name: "human.ask",
      version: 1,
      summary: "Ask a person",
      effect: "read",
      idempotency: "natural",
      input,
      output: z.object({ answer: z.union([z.boolean(), z.string()]), by: z.string() }),
      answer: toAnswerSchema,
      async apply(_question, { answer, approvers }) {
        const by = approvers.at(-1)?.by;
        if (by === undefined || (typeof answer !== "boolean" && typeof answer !== "string"))
          throw new CapabilityError("permanent", "nobody-answered", "Nobody has answered.");
        return { answer, by };
      },
    }),
  ];
}
