import { type Capability, CapabilityError, defineCapability, shorten } from "@paraph/core";
import { escapeInvisible } from "@paraph/core/escape-invisible";
import { z } from "zod";

const question = z.string().min(1).max(2_000);
const input = z
  .object({
    question,
    kind: z
      .enum(["confirm", "choice", "text"])
      .describe(
        "Kind of answer: `confirm` for yes or no, `choice` for one of the options, `text` for a text.",
      ),
    options: z.array(z.string().min(1).max(200)).min(2).max(20).optional(),
    why: z.string().max(2_000).optional().describe("Reason for the question, in the requester's words."),
  })
  .refine(({ kind, options }) => (kind === "choice") === (options !== undefined), {
    message: "options: required for `choice`, not allowed otherwise",
  })
  .refine(({ options = [] }) => new Set(options).size === options.length, {
    message: "options: list each only once",
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
 * Creates the capabilities with which an agent asks a person. Only a person can answer, so Paraph always asks
 * approvers, even if policy would allow the call.
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
      headline: ({ question }) => `Ask a person: “${shorten(escapeInvisible(question), 150)}”`,
      answer: toAnswerSchema,
      async apply(_question, { answer, approvers }) {
        const by = approvers.at(-1)?.by;
        if (by === undefined || (typeof answer !== "boolean" && typeof answer !== "string"))
          throw new CapabilityError("permanent", "unanswered", "No person has answered.");
        return { answer, by };
      },
    }),
  ];
}
